import type { Trx } from '../../platform/db/index.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import { recordChange, requireLockedOrder } from '../order/change/change-order.ts'
import type { Order, OrderKey, OrderShipment } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { setTracking, type Tracking } from './store.ts'

/**
 * Adds or corrects the carrier and the tracking of a parcel, in any of its statuses. What is equal changes nothing.
 *
 * @throws `order_not_found`, `shipment_not_found`
 */
export async function correctTracking(
  trx: Trx,
  context: ActionContext,
  { shipmentId, ...key }: OrderKey & { shipmentId: string },
  changes: Partial<Tracking>,
): Promise<OrderShipment> {
  const shipment = requireShipment(await requireLockedOrder(trx, key), shipmentId)
  const { carrier, trackingNumber, trackingUrl } = shipment
  const before: Tracking = { carrier, trackingNumber, trackingUrl }
  const after: Tracking = { ...before, ...changes }
  const names = Object.keys(before) as (keyof Tracking)[]
  if (names.every((name) => after[name] === before[name])) return shipment
  await setTracking(trx, shipmentId, after)
  return requireShipment(await recordChange(trx, context, key.id, [{ type: 'shipment.updated' }]), shipmentId)
}

function requireShipment({ shipments }: Order, shipmentId: string): OrderShipment {
  const shipment = shipments.find((one) => one.id === shipmentId)
  if (shipment === undefined) throw orderProblems.shipment_not_found()
  return shipment
}
