import type { Order } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'

const TEXTS: Readonly<Record<string, MessageKey>> = {
  'order.created': 'order.didCreate',
  'order.price_agreed': 'order.didAgreePrice',
  'order.confirmed': 'order.didConfirm',
  'order.on_hold': 'order.didHold',
  'order.released': 'order.didRelease',
  'order.hold_answered': 'order.didAnswer',
  'order.address_changed': 'order.didChangeAddress',
  'order.in_production': 'order.didStart',
  'order.cancelled': 'order.didCancel',
  'payment.captured': 'order.didPay',
  'payment.failed': 'order.didFailPayment',
  'payment.refunded': 'order.didRefund',
  'shipment.created': 'order.didShip',
  'shipment.updated': 'order.didChangeTracking',
  'shipment.delivered': 'order.didDeliver',
  'shipment.returned': 'order.didReturn',
}

/** What has happened to an order, newest first. Entries that mean nothing to customers are left out. */
export function Timeline({ timeline }: Pick<Order, 'timeline'>) {
  const { text, formats } = useTexts()
  const entries = timeline.flatMap(({ type, at, by, reason }) => {
    const key = TEXTS[type]
    // The service writes reasons of its own in English.
    return key === undefined
      ? []
      : [{ key, at, reason: by === 'system' || type.startsWith('payment.') ? undefined : reason }]
  })
  return (
    <section className="card-section">
      <h2>{text('order.history')}</h2>
      <ol className="timeline">
        {entries.reverse().map(({ key, at, reason }) => (
          <li key={`${key}${at}${reason ?? ''}`}>
            <span>
              {text(key)}
              {reason === undefined ? null : <span className="note">{reason}</span>}
            </span>
            <time dateTime={at}>{formats.dateTime(at)}</time>
          </li>
        ))}
      </ol>
    </section>
  )
}
