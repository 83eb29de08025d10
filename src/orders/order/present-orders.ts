import { findFinalizations } from '../../designs/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { type OrderBody, type OrderView, toOrderBody } from './schemas.ts'
import type { Order } from './store.ts'

/**
 * Orders as the viewer may see them: to operators with the customer and with each item's files and receipt,
 * read in one query for all.
 */
export async function presentOrders(db: Db | Trx, orders: readonly Order[], view: OrderView): Promise<OrderBody[]> {
  if (!view.operator) return orders.map((order) => toOrderBody(order, view))
  const ids = new Set(orders.flatMap((order) => order.items.map((item) => item.finalizationId)))
  const found = await findFinalizations(db, [...ids])
  const finalizations = new Map(found.map(({ id, files, receipt }) => [id, { files, receipt }]))
  return orders.map((order) => {
    const body = toOrderBody(order, view)
    const items = body.items.map((item) => ({ ...item, ...finalizations.get(item.finalizationId) }))
    return { ...body, customerId: order.ownerId, items }
  })
}

/** One order as the viewer may see it. */
export async function presentOrder(db: Db | Trx, order: Order, view: OrderView): Promise<OrderBody> {
  const [body] = await presentOrders(db, [order], view)
  if (body === undefined) throw new Error('an order was presented as nothing')
  return body
}
