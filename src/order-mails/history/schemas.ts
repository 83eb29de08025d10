import { type Static, Type } from 'typebox'
import { ORDER_MAIL_KINDS, type OrderMailKind } from '../kinds.ts'
import type { SkipReason } from '../store.ts'
import type { PastMail } from './store.ts'

const closed = { additionalProperties: false } as const
const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])

const STATUSES = ['waiting', 'sent', 'stored', 'skipped', 'failed'] as const
type Status = (typeof STATUSES)[number]

const SENDING = ['on', 'outbox', 'paused', 'off'] as const
type Sending = (typeof SENDING)[number]

const SKIP_REASONS = [
  'customer_erased',
  'order_erased',
  'no_email_address',
  'event_not_retained',
  'too_old',
  'mails_off',
  'too_many',
  'rejected',
] as const satisfies readonly SkipReason[]

const MailOfOrderBody = Type.Object(
  {
    kind: Type.Unsafe<OrderMailKind>({ type: 'string', enum: ORDER_MAIL_KINDS, description: 'What the mail is.' }),
    status: Type.Unsafe<Status>({
      type: 'string',
      enum: STATUSES,
      description:
        '`waiting` until it is sent; `sent` to the mail server; `stored` in the outbox, because the service has no mail server; `skipped`, with the reason; `failed` after the last attempt.',
    }),
    reason: Type.Optional(
      Type.Unsafe<SkipReason>({
        type: 'string',
        enum: SKIP_REASONS,
        description: 'Why the mail was skipped. `rejected`: the mailbox does not exist.',
      }),
    ),
    to: nullable(
      Type.String({
        description:
          'Email address to which it went. Null for a mail that did not go, for one of an earlier release, after the customer was erased, and for callers without `customers:read`.',
      }),
    ),
    createdAt: Type.String({ format: 'date-time', description: 'When its cause happened, give or take a second.' }),
    endedAt: nullable(
      Type.String({ format: 'date-time', description: 'When it was sent, stored, skipped or given up.' }),
    ),
  },
  { ...closed, title: 'MailOfOrder' },
)
type MailOfOrderBody = Static<typeof MailOfOrderBody>

export const MailsOfOrderBody = Type.Object(
  {
    sending: Type.Unsafe<Sending>({
      type: 'string',
      enum: SENDING,
      description:
        'What happens to new mails: `on`, they are sent; `outbox`, they are stored, because there is no mail server; `paused` (`PLATEN_SEND=off`), they wait; `off` (`PLATEN_ORDER_MAILS=off`), there are none.',
    }),
    data: Type.Array(MailOfOrderBody, { description: 'Oldest first.' }),
  },
  { ...closed, title: 'MailsOfOrder' },
)

export function toMailBody({ kind, status, reason, recipient, createdAt, endedAt }: PastMail): MailOfOrderBody {
  return {
    kind,
    status: status === 'sent' && reason === 'outbox' ? 'stored' : status,
    ...(status === 'skipped' && reason !== null ? { reason: reason as SkipReason } : {}),
    to: recipient,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  }
}

interface MailSettings {
  orderMails: boolean
  send: boolean
  smtpUrl?: string | undefined
}

export function sendingOf({ orderMails, send, smtpUrl }: MailSettings): Sending {
  if (!orderMails) return 'off'
  if (!send) return 'paused'
  return smtpUrl === undefined ? 'outbox' : 'on'
}
