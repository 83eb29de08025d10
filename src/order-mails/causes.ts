import type { OrderMailKind } from './kinds.ts'

/** What the event of an order states that may be the cause of a mail. */
export interface CausingEvent {
  type: string
  /** Whether the event reports the reply of the customer to a hold. */
  isHoldAnswered: boolean
  /** How often the order was put on hold so far. */
  holds: number
  /** Ids in the order of their creation. */
  shipments: readonly string[]
  succeededRefunds: readonly string[]
}

export interface MailCause {
  kind: OrderMailKind
  /** The shipment, the refund or the hold; `order` for what happens to an order once. */
  cause: string
}

const ONCE = 'order'

type Cause = (event: CausingEvent, isNew: (cause: string) => boolean) => string | undefined

/** The mails that events cause. An event without a row causes none. */
const CAUSES: Readonly<Record<string, readonly [kind: OrderMailKind, cause: Cause]>> = {
  'order.created': ['order_received', () => ONCE],
  'payment.captured': ['order_paid', () => ONCE],
  // A reply to a hold repeats the event of the hold.
  'order.on_hold': ['order_on_hold', ({ holds, isHoldAnswered }) => (isHoldAnswered ? undefined : `hold-${holds}`)],
  'shipment.created': ['order_shipped', ({ shipments }, isNew) => shipments.findLast(isNew)],
  'order.delivered': ['order_delivered', () => ONCE],
  'order.cancelled': ['order_cancelled', () => ONCE],
  // Refunds may succeed in another order than they were requested in.
  'payment.refunded': ['order_refunded', ({ succeededRefunds }, isNew) => succeededRefunds.findLast(isNew)],
}

export const CAUSING_EVENTS: readonly string[] = Object.keys(CAUSES)

/**
 * Returns the mail that an event causes, or undefined if it causes none.
 *
 * @param isNew whether the order has no mail of this kind and cause yet
 */
export function causeOf(event: CausingEvent, isNew: (mail: MailCause) => boolean): MailCause | undefined {
  const [kind, find] = CAUSES[event.type] ?? []
  if (kind === undefined || find === undefined) return undefined
  const cause = find(event, (candidate) => isNew({ kind, cause: candidate }))
  return cause !== undefined && isNew({ kind, cause }) ? { kind, cause } : undefined
}
