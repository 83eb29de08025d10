import type { ListedOrder, OrderItem } from '@platen/client'
import { shippedOf } from '../orders/shipped.ts'

/** Returns how many pieces of an item are still to be shipped. */
export const piecesLeft = (order: Pick<ListedOrder, 'shipments'>, item: OrderItem): number =>
  item.quantity - shippedOf(order, item.id)
