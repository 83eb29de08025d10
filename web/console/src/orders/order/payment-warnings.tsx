import type { Order } from '@platen/client'
import { Banner, type MessageKey, useTexts } from '@platen/ui'

const WARNINGS: Readonly<Record<string, MessageKey>> = {
  'payment.disputed': 'console.paymentDisputed',
  'payment.refund_returned': 'console.refundReturned',
}

/** What the shop has to do at the bank or the payment provider. The sums of the payment do not show it. */
export function PaymentWarnings({ timeline }: Pick<Order, 'timeline'>) {
  const { text, formats } = useTexts()
  return timeline.map(({ type, at, reason }, index) => {
    const key = WARNINGS[type]
    if (key === undefined) return null
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
