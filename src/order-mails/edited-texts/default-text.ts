import type { Language } from '../../platform/languages.ts'
import type { OrderMailKind } from '../kinds.ts'
import { textsOf } from '../texts/texts-of.ts'
import type { EditedText } from './edited-text.ts'
import { sentenceOf } from './placeholders.ts'

/** The case that most mails are about. */
const USUAL = { canPayOnline: true, resolution: 'none', isPartial: false, isRefundDue: true } as const

/** Returns the text of the service as an administrator could have written it, to begin with. */
export function defaultText(kind: OrderMailKind, language: Language): EditedText {
  const facts = { number: '{{number}}', date: '{{date}}', total: '{{total}}', refunded: '{{refunded}}', ...USUAL }
  const { subject, paragraphs } = textsOf(language).mails[kind](facts)
  const sentence = sentenceOf(kind)
  const lines = sentence === undefined ? paragraphs : [...paragraphs.slice(0, 1), `{{${sentence}}}`]
  return { subject, body: lines.join('\n\n') }
}
