import type { Order, Shipment } from '@platen/client'

const POSSIBLE: Readonly<Record<'deliver' | 'return', readonly Shipment['status'][]>> = {
  deliver: ['shipped'],
  return: ['shipped', 'delivered'],
}

/** Tells whether a parcel can arrive, or come back. */
export const canBe = ({ status }: Shipment, action: keyof typeof POSSIBLE): boolean => POSSIBLE[action].includes(status)

/** Returns the parcels of an order to which an action may apply. */
export const parcelsFor = ({ shipments }: Order, action: keyof typeof POSSIBLE): readonly Shipment[] =>
  shipments.filter((shipment) => canBe(shipment, action))
