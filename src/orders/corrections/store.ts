import type { Trx } from '../../platform/db/index.ts'

/** Who carries a parcel, and how to follow it. */
export interface Tracking {
  carrier: string
  trackingNumber: string | null
  trackingUrl: string | null
}

export async function setTracking(trx: Trx, shipmentId: string, tracking: Tracking): Promise<void> {
  const { carrier, trackingNumber, trackingUrl } = tracking
  await trx
    .updateTable('shipments')
    .set({ carrier, tracking_number: trackingNumber, tracking_url: trackingUrl })
    .where('id', '=', shipmentId)
    .execute()
}
