import type { MailOfOrder, Order } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { orderMailsQuery } from '../../queries.ts'

const SKIPPED: Readonly<Record<NonNullable<MailOfOrder['reason']>, MessageKey>> = {
  customer_erased: 'console.mailSkippedErased',
  order_erased: 'console.mailSkippedErased',
  no_email_address: 'console.mailSkippedNoEmail',
  event_not_retained: 'console.mailSkippedLate',
  too_old: 'console.mailSkippedLate',
  mails_off: 'console.mailSkippedOff',
  too_many: 'console.mailSkippedMany',
  rejected: 'console.mailSkippedRejected',
}

/** Says whether and when the customer was told of a hold, or why not. */
export function HoldMail({ order, since }: { order: Order; since: string }) {
  const { text, formats } = useTexts()
  const { data: mails } = useQuery(orderMailsQuery(order.id))
  if (mails === undefined) return null
  const mail = mails.data.findLast(({ kind, createdAt }) => kind === 'order_on_hold' && createdAt >= since)
  const describe = (): string => {
    if (mail === undefined || mail.status === 'waiting') {
      if (mails.sending === 'off') return text('console.holdMailNone')
      return text(mails.sending === 'paused' ? 'console.holdMailPaused' : 'console.holdMailWaiting')
    }
    const date = formats.dateTime(mail.endedAt ?? mail.createdAt)
    if (mail.status === 'failed') return text('console.holdMailFailed', { date })
    if (mail.status === 'skipped') {
      return text('console.holdMailSkipped', { reason: text(SKIPPED[mail.reason ?? 'too_old']) })
    }
    if (mail.to === null) return text('console.holdMailSentSomewhere', { date })
    return text(mail.status === 'stored' ? 'console.holdMailStored' : 'console.holdMailSent', { email: mail.to, date })
  }
  return <p className="hold-mail">{describe()}</p>
}
