import { type Static, Type } from 'typebox'
import { LanguageName, NewMailTextBody } from '../edited-texts/schemas.ts'
import { ORDER_MAIL_KINDS, type OrderMailKind } from '../kinds.ts'

const closed = { additionalProperties: false } as const

const Kind = Type.Unsafe<OrderMailKind>({ type: 'string', enum: ORDER_MAIL_KINDS, description: 'What the mail is.' })

export const MailKindList = Type.Object(
  {
    data: Type.Array(
      Type.Object({ kind: Kind, languages: Type.Array(LanguageName) }, { ...closed, title: 'MailKind' }),
    ),
  },
  { ...closed, title: 'MailKindList' },
)

export const MailParams = Type.Object({ kind: Type.String({ maxLength: 64 }) }, closed)
export const PreviewQuery = Type.Object({ language: LanguageName }, closed)
export const PreviewBody = Type.Object({ language: LanguageName, ...NewMailTextBody.properties }, closed)
export const TestMailBody = Type.Object({ language: LanguageName, text: Type.Optional(NewMailTextBody) }, closed)

export const MailPreviewBody = Type.Object(
  {
    kind: Kind,
    language: LanguageName,
    subject: Type.String(),
    text: Type.String({ description: 'The plain text.' }),
    html: Type.String({ description: 'The HTML, with pictures as `data:` URLs.' }),
  },
  { ...closed, title: 'MailPreview' },
)
export type MailPreviewBody = Static<typeof MailPreviewBody>

export const TestMailSent = Type.Object(
  { to: Type.String({ description: 'The email address of the caller.' }) },
  { ...closed, title: 'TestMailSent' },
)
