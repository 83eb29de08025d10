import type { Trx } from '../../platform/db/index.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import { actionRefused, recordChange, requireLockedOrder, transitionOrder } from '../order/change/change-order.ts'
import { nextOrderStatus, SHIPMENT_TRANSITIONS, type ShipmentEvent } from '../order/state.ts'
import type { Order, OrderKey, OrderShipment } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { setShipmentStatus } from './store.ts'

/**
 * Records that a shipment arrived or came back. The order becomes `delivered` when everything has shipped, no shipment
 * is in transit, and at least one has arrived, even if it came back later.
 *
 * @param reason of a return
 * @throws `order_not_found`, `shipment_not_found`, `order_action_refused` with `shipmentStatus`
 */
export async function advanceShipment(
  trx: Trx,
  context: ActionContext,
  { shipmentId, ...key }: OrderKey & { shipmentId: string },
  event: ShipmentEvent,
  reason?: string,
): Promise<OrderShipment> {
  const order = await requireLockedOrder(trx, key)
  const shipment = requireShipment(order, shipmentId)
  const status = SHIPMENT_TRANSITIONS[shipment.status][event]
  if (status === undefined) {
    throw actionRefused(order, `The shipment is ${shipment.status}.`, { shipmentStatus: shipment.status })
  }
  await setShipmentStatus(trx, shipmentId, { status, at: context.now })
  const others = order.shipments.filter((one) => one !== shipment)
  const settled = others.every((one) => one.status !== 'shipped')
  const arrived = event === 'deliver' || order.shipments.some((one) => one.deliveredAt !== null)
  const delivers = settled && arrived && nextOrderStatus(order, 'deliver') !== undefined
  if (delivers) await transitionOrder(trx, order, 'deliver')
  const changed = await recordChange(trx, context, order.id, [
    { type: event === 'deliver' ? 'shipment.delivered' : 'shipment.returned', reason },
    ...(delivers ? [{ type: 'order.delivered' } as const] : []),
  ])
  return requireShipment(changed, shipmentId)
}

function requireShipment(order: Order, shipmentId: string): OrderShipment {
  const shipment = order.shipments.find((one) => one.id === shipmentId)
  if (shipment === undefined) throw orderProblems.shipment_not_found()
  return shipment
}
