import { randomInt } from 'node:crypto'
import type { Trx } from '../../platform/db/index.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import { actionRefused, requireLockedOrder } from '../order/change/change-order.ts'
import type { OrderStatus, ShipmentStatus } from '../order/state.ts'
import type { Order, OrderKey } from '../order/store.ts'
import { advanceOrder } from '../production/advance-order.ts'
import { advanceShipment } from '../production/advance-shipment.ts'
import { leftToShip, shipOrder } from '../production/ship-order.ts'

/** Steps that the simulator can take for the shop, the carrier and the recipient. */
export const SHOP_STEPS = [
  'start_production',
  'ship_part',
  'ship',
  'deliver',
  'return',
  'damage',
  'delay',
  'hold',
  'release',
] as const
export type ShopStep = (typeof SHOP_STEPS)[number]
export type Step = ShopStep | 'pay'

const NEXT_STEPS: Readonly<Record<OrderStatus, Step | undefined>> = {
  awaiting_payment: 'pay',
  confirmed: 'start_production',
  in_production: 'ship',
  partially_shipped: 'ship',
  shipped: 'deliver',
  on_hold: 'release',
  delivered: undefined,
  cancelled: undefined,
}

/**
 * Returns the usual next step of an order.
 *
 * @throws `order_action_refused`
 */
export function nextStep(order: Order): Step {
  const step = NEXT_STEPS[order.status]
  if (step === undefined)
    throw actionRefused(
      order,
      `The order is ${order.status}, so it has no usual next step. Name a step in the request.`,
    )
  return step
}

const DELAY = 'A material has not arrived. Production continues in a few days.'
const QUESTION = 'Is the shipping address complete? The carrier does not know it.'
const DAMAGE = 'The parcel was damaged on its way.'
const RETURN = 'The customer sent the parcel back.'

/**
 * Applies a step with the actions of operators.
 *
 * @throws `order_not_found`, `order_action_refused`
 */
export async function runStep(trx: Trx, context: ActionContext, key: OrderKey, step: ShopStep): Promise<void> {
  const order = await requireLockedOrder(trx, key)
  switch (step) {
    case 'start_production':
    case 'release':
      await advanceOrder(trx, context, key, step)
      return
    case 'hold':
      await advanceOrder(trx, context, key, 'hold', QUESTION, 'address')
      return
    case 'delay':
      await advanceOrder(trx, context, key, 'hold', DELAY, 'none')
      return
    case 'ship':
      await shipOrder(trx, context, key, parcel())
      return
    case 'ship_part':
      await shipOrder(trx, context, key, { ...parcel(), items: [partOf(order)] })
      return
    case 'deliver':
      await advanceShipment(trx, context, { ...key, shipmentId: shipmentIn(order, 'shipped') }, 'deliver')
      return
    case 'damage':
      await advanceShipment(trx, context, { ...key, shipmentId: shipmentIn(order, 'shipped') }, 'return', DAMAGE)
      return
    case 'return':
      await advanceShipment(trx, context, { ...key, shipmentId: shipmentIn(order, 'delivered') }, 'return', RETURN)
      return
  }
}

function parcel() {
  const trackingNumber = `SIM${String(randomInt(1e9)).padStart(9, '0')}`
  // RFC 2606 reserves this domain, so the link leads nowhere.
  return { carrier: 'Simulated carrier', trackingNumber, trackingUrl: `https://parcels.example/${trackingNumber}` }
}

/** Selects half of the unshipped pieces of the first item. At least one piece of the order stays for another parcel. */
function partOf(order: Order): { itemId: string; quantity: number } {
  const left = [...leftToShip(order)].filter(([, quantity]) => quantity > 0)
  const [first] = left
  if (first === undefined || (left.length === 1 && first[1] === 1)) {
    throw actionRefused(order, 'Only one piece is unshipped, so it cannot be split into two parcels.')
  }
  const [itemId, quantity] = first
  return { itemId, quantity: Math.ceil(quantity / 2) }
}

function shipmentIn(order: Order, status: ShipmentStatus): string {
  const shipment = order.shipments.find((one) => one.status === status)
  if (shipment === undefined) throw actionRefused(order, `No shipment of the order is ${status}.`)
  return shipment.id
}
