import type { Money, Order, TimelineEntry } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'
import { Section } from '../../../parts/page/section.tsx'
import { actorName } from './actor-name.ts'
import { TIMELINE_TEXTS } from './timeline-texts.ts'

const TEXTS: Readonly<Record<string, MessageKey>> = TIMELINE_TEXTS

const BY: Readonly<Record<TimelineEntry['by'], MessageKey>> = {
  customer: 'console.byCustomer',
  operator: 'console.byOperator',
  system: 'console.bySystem',
}

/** What has happened to the order and who did it, newest first. */
export function TimelineSection({ order }: { order: TimelineOrder }) {
  const { text, formats } = useTexts()
  const { timeline } = order
  const amounts = refundsOf(order)
  const whatOf = (entry: TimelineEntry): string => {
    const amount = amounts.get(entry)
    return amount === undefined
      ? entryText(entry, text)
      : text('console.didRefundAmount', { amount: formats.money(amount) })
  }
  return (
    <Section title={text('console.history')}>
      <ol className="timeline">
        {timeline.toReversed().map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity, and are only added
          <li key={timeline.length - index}>
            <div>
              <span className="timeline-what">{whatOf(entry)}</span>
              {entry.reason === undefined ? null : <p className="timeline-reason">{entry.reason}</p>}
            </div>
            <p className="note">
              {actorName(entry.actor) ?? text(byOf(entry, order))} ·{' '}
              <time dateTime={entry.at}>{formats.dateTime(entry.at)}</time>
            </p>
          </li>
        ))}
      </ol>
    </Section>
  )
}

type TimelineOrder = Pick<Order, 'timeline' | 'payment' | 'customerId'>

/** An operator who orders for a customer acts as the customer, but is another person. */
function byOf({ actor, by }: TimelineEntry, order: TimelineOrder): MessageKey {
  if (actor === undefined || isCustomer(actor, order)) return BY[by]
  return 'console.deletedAccount'
}

/** The ids of a customer and of its account differ in their prefix. */
function isCustomer(actor: TimelineEntry['actor'], { customerId }: TimelineOrder): boolean {
  return actor?.userId.split('_')[1] === customerId.split('_')[1]
}

/** Finds the refund of each entry: the first with the same reason that no earlier entry has. */
function refundsOf({ timeline, payment }: TimelineOrder): ReadonlyMap<TimelineEntry, Money> {
  const left = payment.refunds.filter(({ status }) => status === 'succeeded')
  const found = new Map<TimelineEntry, Money>()
  for (const entry of timeline.filter(({ type }) => type === 'payment.refunded')) {
    const refund = left.find(({ reason }) => (reason ?? undefined) === entry.reason) ?? left[0]
    if (refund === undefined) continue
    left.splice(left.indexOf(refund), 1)
    found.set(entry, refund.amount)
  }
  return found
}

/** A later version of the service may have further types. */
function entryText({ type }: TimelineEntry, text: (key: MessageKey) => string): string {
  const key = TEXTS[type]
  return key === undefined ? type : text(key)
}
