import type { TimelineEntry } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'
import { Section } from '../../parts/section.tsx'

const TEXTS: Readonly<Record<string, MessageKey>> = {
  'order.created': 'console.didCreate',
  'order.price_agreed': 'console.didAgreePrice',
  'order.confirmed': 'console.didConfirm',
  'order.on_hold': 'console.didHold',
  'order.released': 'console.didRelease',
  'order.hold_answered': 'console.didAnswer',
  'order.address_changed': 'console.didChangeAddress',
  'order.in_production': 'console.didStart',
  'order.partially_shipped': 'console.didShipPart',
  'order.shipped': 'console.didShipAll',
  'order.delivered': 'console.didDeliverAll',
  'order.cancelled': 'console.didCancel',
  'payment.captured': 'console.didPay',
  'payment.failed': 'console.didFailPayment',
  'payment.given_up': 'console.didGiveUpPayment',
  'payment.returned_late': 'console.didReturnLatePayment',
  'payment.refunded': 'console.didRefund',
  'payment.refund_failed': 'console.didFailRefund',
  'shipment.created': 'console.didShip',
  'shipment.delivered': 'console.didDeliver',
  'shipment.returned': 'console.didReturn',
  'design.files_ready': 'console.didDrawFiles',
  'design.files_failed': 'console.didFailFiles',
}

const BY: Readonly<Record<TimelineEntry['by'], MessageKey>> = {
  customer: 'console.byCustomer',
  operator: 'console.byOperator',
  system: 'console.bySystem',
}

/** What has happened to the order and who did it, newest first. */
export function TimelineSection({ order: { timeline } }: { order: { timeline: readonly TimelineEntry[] } }) {
  const { text, formats } = useTexts()
  return (
    <Section title={text('console.history')}>
      <ol className="timeline">
        {timeline.toReversed().map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity, and are only added
          <li key={timeline.length - index}>
            <div>
              <span className="timeline-what">{entryText(entry, text)}</span>
              {entry.reason === undefined ? null : <p className="timeline-reason">{entry.reason}</p>}
            </div>
            <p className="note">
              {entry.actor?.name ?? text(BY[entry.by])} · <time dateTime={entry.at}>{formats.dateTime(entry.at)}</time>
            </p>
          </li>
        ))}
      </ol>
    </Section>
  )
}

/** A later version of the service may have further types. */
function entryText({ type }: TimelineEntry, text: (key: MessageKey) => string): string {
  const key = TEXTS[type]
  return key === undefined ? type : text(key)
}
