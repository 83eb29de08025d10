import type { Order } from '@platen/client'
import { Banner, type MessageKey, useTexts } from '@platen/ui'
import { HoldMail } from './hold-mail.tsx'
import { HoldReply } from './hold-reply.tsx'

const WAITS_FOR: Readonly<Record<NonNullable<Order['hold']>['resolution'], MessageKey>> = {
  address: 'console.holdWaitsAddress',
  confirmation: 'console.holdWaitsConfirmation',
  answer: 'console.holdWaitsAnswer',
  none: 'console.holdWaitsNone',
}

/** Why the order is on hold, and for whom it waits. */
export function HoldBanner({ order }: { order: Order }) {
  const { text, formats } = useTexts()
  const { hold } = order
  if (hold === undefined) return null
  return (
    <div className="hold">
      <Banner tone="warning">
        <p className="hold-reason">{hold.reason}</p>
        <p>
          {text('console.heldSince', { date: formats.dateTime(hold.since) })}{' '}
          {hold.answeredAt === undefined
            ? text(WAITS_FOR[hold.resolution])
            : text('console.holdAnswered', { date: formats.dateTime(hold.answeredAt) })}
        </p>
        {/* Whether a mail went is of no interest once the customer has replied. */}
        {hold.answeredAt === undefined ? <HoldMail order={order} since={hold.since} /> : null}
        <HoldReply order={order} />
      </Banner>
    </div>
  )
}
