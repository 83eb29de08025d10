import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { readTimestamp } from '../../platform/http/input/timestamps.ts'
import type { ProblemDetail } from '../../platform/problem.ts'
import { newId } from '../ids.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import { recordChange, requireAction, requireLockedOrder, transitionOrder } from '../order/change/change-order.ts'
import type { Order, OrderKey, OrderShipment } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { insertShipment, type ShipmentRequest } from './store.ts'

/**
 * Records a parcel that was handed to a carrier. The order becomes `shipped` when its last piece has left, and
 * `partially_shipped` before.
 *
 * @throws `order_not_found`, `order_action_refused`, `shipment_item_unknown`, `shipment_item_repeated`,
 *   `shipment_exceeds_order`, `shipment_time_invalid`
 */
export async function shipOrder(
  trx: Trx,
  context: ActionContext,
  key: OrderKey,
  request: ShipmentRequest,
): Promise<{ order: Order; shipment: OrderShipment }> {
  const order = await requireLockedOrder(trx, key)
  requireAction(order, 'ship')
  const fault = faultOfTime(order, request, context.now)
  if (fault !== undefined) throw orderProblems.shipment_time_invalid({ errors: [fault] })
  const left = leftToShip(order)
  const items = request.items ?? allOf(left)
  refuseFaultyItems(items, left)
  const complete = sum(items.map(({ quantity }) => quantity)) === sum([...left.values()])

  const id = newId('shipment')
  await insertShipment(trx, { id, orderId: order.id, request: { ...request, items }, at: context.now })
  await transitionOrder(trx, order, complete ? 'ship_rest' : 'ship_part')
  const changed = await recordChange(trx, context, order.id, [
    { type: 'shipment.created' },
    { type: complete ? 'order.shipped' : 'order.partially_shipped' },
  ])
  const shipment = changed.shipments.find((one) => one.id === id)
  if (shipment === undefined) throw new Error(`shipment ${id} disappeared within its transaction`)
  return { order: changed, shipment }
}

/**
 * Tells whether a parcel has been recorded before: one with this tracking number, or without a number the last parcel of
 * the order. A repeated request then must not record it twice.
 */
export function hasShipped(
  { status, shipments }: Pick<Order, 'status'> & { shipments: readonly { trackingNumber: string | null }[] },
  { trackingNumber }: Pick<ShipmentRequest, 'trackingNumber'>,
): boolean {
  if (trackingNumber === undefined) return status === 'shipped' || status === 'delivered'
  return shipments.some((shipment) => shipment.trackingNumber === trackingNumber)
}

export function leftToShip({ items, shipments }: Order): Map<string, number> {
  const left = new Map(items.map(({ id, quantity }) => [id, quantity]))
  for (const part of shipments.flatMap((shipment) => shipment.items)) {
    left.set(part.itemId, (left.get(part.itemId) ?? 0) - part.quantity)
  }
  return left
}

function allOf(left: Map<string, number>): { itemId: string; quantity: number }[] {
  return [...left].flatMap(([itemId, quantity]) => (quantity > 0 ? [{ itemId, quantity }] : []))
}

/** A date without a time can be a day off in another time zone. */
const DAY_SECONDS = 24 * 3600

/** Returns what is wrong with the time of a shipment. */
export function faultOfTime(
  { createdAt }: Pick<Order, 'createdAt'>,
  { shippedAt }: Pick<ShipmentRequest, 'shippedAt'>,
  now: Date,
): ProblemDetail | undefined {
  if (shippedAt === undefined) return undefined
  const at = readTimestamp(shippedAt, '/shippedAt')
  if (at <= addSeconds(now, DAY_SECONDS) && at >= addSeconds(createdAt, -DAY_SECONDS)) return undefined
  const detail = `The order was created at ${createdAt.toISOString()}, and it is ${now.toISOString()} now.`
  return { code: 'out_of_range', pointer: '/shippedAt', detail }
}

type FaultCode = 'shipment_item_unknown' | 'shipment_item_repeated' | 'shipment_exceeds_order'

function refuseFaultyItems(items: { itemId: string; quantity: number }[], left: Map<string, number>): void {
  const faults = items.flatMap((item, index) => faultOf(item, index, items, left))
  const [first] = faults
  if (first !== undefined) throw orderProblems[first.code]({ detail: first.detail, errors: faults })
}

function faultOf(
  { itemId, quantity }: { itemId: string; quantity: number },
  index: number,
  items: { itemId: string }[],
  left: Map<string, number>,
): (ProblemDetail & { code: FaultCode })[] {
  const pointer = `/items/${index}`
  if (items.findIndex((item) => item.itemId === itemId) < index) {
    return [
      { code: 'shipment_item_repeated', pointer: `${pointer}/itemId`, detail: 'An earlier entry names the same item.' },
    ]
  }
  const available = left.get(itemId)
  if (available === undefined) {
    return [
      { code: 'shipment_item_unknown', pointer: `${pointer}/itemId`, detail: 'The order has no item with this id.' },
    ]
  }
  if (quantity <= available) return []
  return [
    {
      code: 'shipment_exceeds_order',
      pointer: `${pointer}/quantity`,
      detail: `Only ${available} pieces are unshipped.`,
    },
  ]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
