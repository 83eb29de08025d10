import type { Order, OrderItem } from '@platen/client'

/** Returns how many pieces of an item have left. Parcels that came back count, because nothing is sent in their place. */
export const shippedOf = ({ shipments }: Pick<Order, 'shipments'>, itemId: string): number =>
  shipments.flatMap(({ items }) => items).reduce((sum, part) => sum + (part.itemId === itemId ? part.quantity : 0), 0)

/** Returns how many pieces of an item are still to be shipped. */
export const piecesLeft = (order: Pick<Order, 'shipments'>, { id, quantity }: OrderItem): number =>
  quantity - shippedOf(order, id)
