import type { Order } from '@platen/client'
import { Banner, type MessageKey, useTexts } from '@platen/ui'

const WAITS_FOR: Readonly<Record<NonNullable<Order['hold']>['resolution'], MessageKey>> = {
  address: 'console.holdWaitsAddress',
  confirmation: 'console.holdWaitsConfirmation',
  answer: 'console.holdWaitsAnswer',
  none: 'console.holdWaitsNone',
}

/** Why the order is on hold, and for whom it waits. */
export function HoldBanner({ order: { hold, timeline } }: { order: Order }) {
  const { text, formats } = useTexts()
  if (hold === undefined) return null
  const answer = timeline.findLast(({ type }) => type === 'order.hold_answered')
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
        {hold.answeredAt === undefined || answer?.reason === undefined ? null : (
          <blockquote className="hold-answer">{answer.reason}</blockquote>
        )}
      </Banner>
    </div>
  )
}
