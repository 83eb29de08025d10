import type { MailTexts } from '../texts/texts.ts'
import { fill, type PlaceholderValues } from './placeholders.ts'

/** What an administrator wrote for a mail in one language. */
export interface EditedText {
  subject: string
  /** Each line that is not empty is a paragraph. */
  body: string
}

/** Puts an edited text in the place of that of the service, whose heading and button stay. */
export function withEdited(own: MailTexts, edited: EditedText | undefined, values: PlaceholderValues): MailTexts {
  if (edited === undefined) return own
  const paragraphs = edited.body
    .split(/\r?\n/)
    .map((line) => fill(line, values).trim())
    .filter((line) => line !== '')
  return { ...own, subject: fill(edited.subject, values), paragraphs }
}
