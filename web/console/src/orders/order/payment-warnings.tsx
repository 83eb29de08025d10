import type { Order, TimelineEntry } from '@platen/client'
import { Banner, type MessageKey, useTexts } from '@platen/ui'

/** Entries that end a dispute. Their reason is its id, as that of the entry that began it. */
const DISPUTE_ENDS = new Set(['payment.dispute_won', 'payment.dispute_lost', 'payment.dispute_closed'])

const WARNINGS: Readonly<Record<string, MessageKey>> = {
  'payment.disputed': 'console.paymentDisputed',
  'payment.dispute_lost': 'console.disputeLost',
  'payment.refund_returned': 'console.refundReturned',
}

/** What the shop has to do at the bank or the payment provider. The sums of the payment do not show it. */
export function PaymentWarnings({ timeline }: Pick<Order, 'timeline'>) {
  const { text, formats } = useTexts()
  return timeline.map((entry, index) => {
    const { type, at, reason } = entry
    const key = WARNINGS[type]
    if (key === undefined || hasEnded(entry, timeline)) return null
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity, and are only added
      <div className="payment-warning" key={index}>
        <Banner tone="warning">
          {text(key, { date: formats.date(at) })}
          {reason === undefined ? null : <p className="note">{reason}</p>}
        </Banner>
      </div>
    )
  })
}

/** Whether an entry is about the beginning of a dispute that has ended. Messages of a provider may arrive in any order. */
const hasEnded = ({ type, reason }: TimelineEntry, timeline: Order['timeline']): boolean =>
  type === 'payment.disputed' && timeline.some((one) => DISPUTE_ENDS.has(one.type) && one.reason === reason)
