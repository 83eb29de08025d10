import type { Trx } from '../../platform/db/index.ts'
import { EVENT_TYPES, type EventType, emit } from '../../platform/outbox/index.ts'
import { orderProblems } from '../problems.ts'
import type { ActionContext } from './action-context.ts'
import { toOrderBody } from './schemas.ts'
import {
  DEFAULT_HOLD_RESOLUTION,
  type HeldStatus,
  type HoldResolution,
  nextOrderStatus,
  type OrderAction,
  type OrderEvent,
  refusalOf,
} from './state.ts'
import { appendTimeline, findOrder, lockOrder, type Order, type OrderKey, setOrderStatus } from './store.ts'

/** One thing that happened to an order. */
export interface OrderChange {
  /** As the timeline names it. Where it is also the type of an event, that event is emitted. */
  type: string
  /** The event, where it has another name than the timeline's entry. */
  event?: EventType
  reason?: string | undefined
}

/** @throws `order_not_found` */
export async function requireLockedOrder(trx: Trx, key: OrderKey): Promise<Order> {
  const order = await lockOrder(trx, key)
  if (order === undefined) throw orderProblems.order_not_found()
  return order
}

/** @throws `order_action_refused` with `orderStatus`, where the order's state does not allow the action */
export function requireAction(order: Order, action: OrderAction): void {
  const refusal = refusalOf(order, action)
  if (refusal !== undefined) throw actionRefused(order, refusal)
}

export function actionRefused(order: Order, detail: string, members: Record<string, unknown> = {}) {
  return orderProblems.order_action_refused({ detail, members: { orderStatus: order.status, ...members } })
}

/**
 * Moves a locked order along its table. The caller has made sure that the event is allowed.
 *
 * @param resolution of a hold: what the customer can do about it
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

/** A release leads back to where the order was held, and the event says where that is. */
const RELEASED: Readonly<Record<HeldStatus, EventType>> = {
  confirmed: 'order.confirmed',
  in_production: 'order.in_production',
}

/** What the release of this order is called. */
export function releaseChange({ heldStatus }: Order): OrderChange {
  return { type: 'order.released', ...(heldStatus === null ? {} : { event: RELEASED[heldStatus] }) }
}

/**
 * Ends an action: notes what happened and emits the events, each with the order as it is now and as its owner sees it.
 * All events of an order, its payment and its shipments have the order as subject, so that they come in one sequence.
 *
 * @returns the order after the change
 */
export async function recordChange(
  trx: Trx,
  { now, actor, onlinePayment }: ActionContext,
  orderId: string,
  changes: readonly OrderChange[],
): Promise<Order> {
  await appendTimeline(trx, orderId, { at: now, by: actor.by, actorId: actor.userId }, changes)
  const order = await findOrder(trx, { id: orderId })
  if (order === undefined) throw new Error(`order ${orderId} is gone from its own transaction`)
  const data = toOrderBody(order, { operator: false, onlinePayment })
  for (const { type, event = type } of changes) {
    if (isEventType(event)) await emit(trx, { type: event, subject: order.id, ownerId: order.ownerId, data, at: now })
  }
  return order
}

function isEventType(type: string): type is EventType {
  return (EVENT_TYPES as readonly string[]).includes(type)
}
