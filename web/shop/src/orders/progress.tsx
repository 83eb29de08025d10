import type { Order } from '@platen/client'
import { classes, Icon, type MessageKey, useTexts } from '@platen/ui'
import type { OrderStatus } from './status.ts'

const STEPS: readonly MessageKey[] = [
  'order.stepOrdered',
  'order.stepPaid',
  'order.stepProduction',
  'order.stepShipped',
  'order.stepDelivered',
]

const REACHED: Readonly<Partial<Record<OrderStatus, number>>> = {
  awaiting_payment: 0,
  confirmed: 1,
  in_production: 2,
  partially_shipped: 2,
  shipped: 3,
  delivered: 4,
}

/** The way of an order, with the step that it has reached. */
export function Progress({ order }: { order: Order }) {
  const { text } = useTexts()
  if (order.status === 'cancelled') return null
  const reached = REACHED[order.status] ?? reachedBefore(order)
  return (
    <ol className="progress" aria-label={text('order.progress')}>
      {STEPS.map((key, index) => (
        <li
          key={key}
          className={classes(index <= reached && 'done')}
          {...(index === reached ? { 'aria-current': 'step' } : {})}
        >
          <span className="progress-mark">{index <= reached ? <Icon name="check" size={16} /> : null}</span>
          <span>{text(key)}</span>
        </li>
      ))}
    </ol>
  )
}

/** An order on hold stays where it was. */
const reachedBefore = ({ timeline }: Order): number =>
  timeline.some(({ type }) => type === 'order.in_production') ? 2 : 1
