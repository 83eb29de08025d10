import { type Static, Type } from 'typebox'
import { LANGUAGES, type Language } from '../../platform/languages.ts'
import { ORDER_MAIL_KINDS, type OrderMailKind } from '../kinds.ts'
import { defaultText } from './default-text.ts'
import { placeholdersOf } from './placeholders.ts'
import type { StoredText, TextKey } from './store.ts'

const closed = { additionalProperties: false } as const

export const LanguageName = Type.Unsafe<Language>({ type: 'string', enum: LANGUAGES })

export const MailTextParams = Type.Object({ kind: Type.String({ maxLength: 64 }), language: LanguageName }, closed)

/** A subject is a header of the mail, so it is one line. */
const Subject = Type.String({
  minLength: 1,
  maxLength: 150,
  pattern: '^(?=.*[\\p{L}\\p{N}\\p{P}\\p{S}])[^\\p{Cc}\\p{Zl}\\p{Zp}]+$',
  description: 'One line.',
})

/** Lines are separated by LF, or by CR and LF. */
const Body = Type.String({
  minLength: 1,
  maxLength: 4000,
  pattern: '^(?=[\\s\\S]*[\\p{L}\\p{N}\\p{P}\\p{S}])(?:[^\\p{Cc}]|[\\n\\r\\t])+$',
  description: 'Plain text. Each line that is not empty is a paragraph.',
})

export const NewMailTextBody = Type.Object({ subject: Subject, body: Body }, closed)

const Text = Type.Object({ subject: Type.String(), body: Type.String() }, { ...closed, title: 'MailTextContent' })

export const MailTextBody = Type.Object(
  {
    kind: Type.Unsafe<OrderMailKind>({ type: 'string', enum: ORDER_MAIL_KINDS }),
    language: LanguageName,
    subject: Type.String(),
    body: Type.String({ description: 'Each line that is not empty is a paragraph.' }),
    isEdited: Type.Boolean({
      description: 'Whether an administrator wrote the text. Otherwise it is that of the service.',
    }),
    default: Text,
    placeholders: Type.Array(Type.String(), {
      description: 'What the text can contain in double braces, such as `{{number}}`.',
    }),
    revision: Type.Integer({ description: 'Number of changes.' }),
    updatedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Null until an administrator changes the text for the first time.',
    }),
  },
  { ...closed, title: 'MailText' },
)
export type MailTextBody = Static<typeof MailTextBody>

export function toMailTextBody({ kind, language }: TextKey, { revision, text, updatedAt }: StoredText): MailTextBody {
  const own = defaultText(kind, language)
  return {
    ...{ kind, language, ...(text ?? own), isEdited: text !== undefined, default: own },
    placeholders: [...placeholdersOf(kind)],
    revision,
    updatedAt: updatedAt?.toISOString() ?? null,
  }
}
