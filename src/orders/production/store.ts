import type { Trx } from '../../platform/db/index.ts'
import type { ShipmentStatus } from '../order/state.ts'

export interface ShipmentRequest {
  carrier: string
  trackingNumber?: string
  trackingUrl?: string
  /** RFC 3339. Default: the time at which the parcel is recorded. */
  shippedAt?: string
  /** Default: all unshipped items. */
  items?: { itemId: string; quantity: number }[]
}

export async function insertShipment(
  trx: Trx,
  {
    id,
    orderId,
    request,
    at,
  }: { id: string; orderId: string; request: Required<Pick<ShipmentRequest, 'items'>> & ShipmentRequest; at: Date },
): Promise<void> {
  await trx
    .insertInto('shipments')
    .values({
      id,
      order_id: orderId,
      status: 'shipped',
      carrier: request.carrier,
      tracking_number: request.trackingNumber ?? null,
      tracking_url: request.trackingUrl ?? null,
      created_at: at,
      shipped_at: request.shippedAt === undefined ? null : new Date(request.shippedAt),
    })
    .execute()
  const parts = request.items.map(({ itemId, quantity }) => ({ shipment_id: id, item_id: itemId, quantity }))
  await trx.insertInto('shipment_items').values(parts).execute()
}

export async function setShipmentStatus(
  trx: Trx,
  id: string,
  { status, at }: { status: ShipmentStatus; at: Date },
): Promise<void> {
  await trx
    .updateTable('shipments')
    .set({ status, ...(status === 'delivered' ? { delivered_at: at } : { returned_at: at }) })
    .where('id', '=', id)
    .execute()
}

export async function setHoldAnsweredAt(trx: Trx, orderId: string, at: Date): Promise<void> {
  await trx.updateTable('orders').set({ hold_answered_at: at }).where('id', '=', orderId).execute()
}
