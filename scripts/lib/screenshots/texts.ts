import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTranslator, type Translator } from '../../../packages/ui/src/i18n/translator.ts'

const MESSAGES = join(import.meta.dirname, '../../../packages/ui/messages')

export type Text = Translator<string>['text']

/** Returns the texts of the pages in a language, by which scenes find buttons and fields. */
export function readTexts(language: string): Text {
  const groups = JSON.parse(readFileSync(join(MESSAGES, `${language}.json`), 'utf8')) as Record<
    string,
    Record<string, string>
  >
  const messages = Object.entries(groups).flatMap(([group, texts]) =>
    Object.entries(texts).map(([name, text]) => [`${group}.${name}`, text] as const),
  )
  return createTranslator(language, Object.fromEntries(messages)).text
}
