import type { Db, Trx } from '../../../platform/db/index.ts'
import { emitOrderEvent, ORDER_EVENTS, type OrderEventType, type TimelineType } from '../../events.ts'
import { orderProblems } from '../../problems.ts'
import { toOrderBody } from '../bodies/schemas.ts'
import {
  DEFAULT_HOLD_RESOLUTION,
  type HeldStatus,
  type HoldResolution,
  nextOrderStatus,
  type OrderAction,
  type OrderEvent,
  refusalOf,
} from '../state.ts'
import { appendTimeline, findOrder, lockOrder, type Order, type OrderKey, setOrderStatus } from '../store.ts'
import type { ActionContext } from './action-context.ts'

/** A change of an order, as the timeline records it. */
export interface OrderChange {
  /** Type of the timeline entry. If it is an event type too, that event is emitted. */
  type: TimelineType
  /** Event to emit, also after an event of the type itself. */
  event?: OrderEventType
  reason?: string | undefined
}

export async function requireOrder(db: Db | Trx, key: OrderKey): Promise<Order> {
  const order = await findOrder(db, key)
  if (order === undefined) throw orderProblems.order_not_found()
  return order
}

/** @throws `order_not_found`, and `precondition_failed` if the key requires another version of the order */
export async function requireLockedOrder(trx: Trx, key: OrderKey): Promise<Order> {
  const order = await lockOrder(trx, key)
  if (order === undefined) throw orderProblems.order_not_found()
  await key.requireVersion?.(trx, order)
  return order
}

/** @throws `order_action_refused` with `orderStatus`, if the state of the order does not allow the action */
export function requireAction(order: Order, action: OrderAction): void {
  const refusal = refusalOf(order, action)
  if (refusal !== undefined) throw actionRefused(order, refusal)
}

export function actionRefused(order: Order, detail: string, members: Record<string, unknown> = {}) {
  return orderProblems.order_action_refused({ detail, members: { orderStatus: order.status, ...members } })
}

/**
 * Moves a locked order to the status that an event leads to.
 *
 * @param resolution for a hold: what the customer can do about it
 * @throws `order_action_refused`
 */
export async function transitionOrder(
  trx: Trx,
  order: Order,
  event: OrderEvent,
  { resolution = DEFAULT_HOLD_RESOLUTION }: { resolution?: HoldResolution | undefined } = {},
): Promise<void> {
  const status = nextOrderStatus(order, event)
  if (status === undefined) throw actionRefused(order, `The order is ${order.status}.`)
  const held = status === 'on_hold' ? { heldStatus: order.status as HeldStatus, resolution } : null
  await setOrderStatus(trx, order.id, status, held)
}

/** A released order returns to the status in which it was held, and a second event names that status. */
const RELEASED: Readonly<Record<HeldStatus, OrderEventType>> = {
  confirmed: 'order.confirmed',
  in_production: 'order.in_production',
}

export function releaseChange({ heldStatus }: Order): OrderChange {
  return { type: 'order.released', ...(heldStatus === null ? {} : { event: RELEASED[heldStatus] }) }
}

/**
 * Completes an action: appends to the timeline and emits the events, each with the whole order as its owner sees it.
 * All events of the payment and the shipments have the order as their subject, so that they form one sequence.
 *
 * @returns the order after the change
 */
export async function recordChange(
  trx: Trx,
  { now, actor, onlinePayment }: ActionContext,
  orderId: string,
  changes: readonly OrderChange[],
): Promise<Order> {
  await appendTimeline(trx, orderId, { at: now, actor }, changes)
  const order = await requireOrder(trx, { id: orderId })
  for (const { type, event = type } of changes) {
    const types = new Set([type, event].filter(isEventType))
    for (const each of types) await emitForOrder(trx, order, { type: each, onlinePayment, at: now })
  }
  return order
}

/** Emits an event of a locked order, with the whole order as its owner sees it. */
export async function emitForOrder(
  trx: Trx,
  order: Order,
  { type, onlinePayment, at }: { type: OrderEventType; onlinePayment: boolean; at: Date },
): Promise<void> {
  const data = toOrderBody(order, { operator: false, onlinePayment })
  await emitOrderEvent(trx, { type, subject: order.id, ownerId: order.ownerId, data, at })
}

function isEventType(type: string): type is OrderEventType {
  return (ORDER_EVENTS as readonly string[]).includes(type)
}
