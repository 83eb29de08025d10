import type { ListedOrder } from '@platen/client'
import { piecesLeft } from '../../orders/shipped.ts'

export const GROUPINGS = ['due', 'product', 'shipping'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** Orders of a column that belong together. */
export interface OrderGroup {
  id: string
  orders: readonly ListedOrder[]
  /** The pieces that are still to be shipped: those of its product if the group is one of a product. */
  pieces: number
}

/** The groups of orders that are late, and of orders without a due time. Other groups have the id of what they share. */
export const LATE = 'late'
export const NO_DUE_TIME = 'none'

/**
 * Groups orders. The groups are in the order of their first orders, and an order with several products is in the group
 * of each.
 *
 * @param dayOf returns the day of a time in the time zone of the operator
 */
export function groupOrders(
  orders: readonly ListedOrder[],
  grouping: Grouping,
  { now, dayOf }: { now: Date; dayOf(time: string): string },
): OrderGroup[] {
  const groups = new Map<string, { orders: ListedOrder[]; pieces: number }>()
  for (const order of orders) {
    for (const [id, pieces] of sharesOf(order, grouping, { now, dayOf })) {
      const group = groups.get(id) ?? { orders: [], pieces: 0 }
      group.orders.push(order)
      group.pieces += pieces
      groups.set(id, group)
    }
  }
  return Array.from(groups, ([id, group]) => ({ id, ...group }))
}

/** Returns the groups of an order, each with its pieces. */
function sharesOf(
  order: ListedOrder,
  grouping: Grouping,
  { now, dayOf }: { now: Date; dayOf(time: string): string },
): Map<string, number> {
  const shares = new Map<string, number>()
  for (const item of order.items) {
    const id = grouping === 'product' ? (item.product.id ?? item.product.name ?? '') : groupOf(order, grouping)
    shares.set(id, (shares.get(id) ?? 0) + piecesLeft(order, item))
  }
  return shares

  function groupOf({ dueAt, shippingMethod }: ListedOrder, by: Exclude<Grouping, 'product'>): string {
    if (by === 'shipping') return shippingMethod
    if (dueAt === null) return NO_DUE_TIME
    return new Date(dueAt) < now ? LATE : dayOf(dueAt)
  }
}
