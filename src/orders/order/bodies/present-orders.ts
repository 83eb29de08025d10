import type { ActorNames } from '../../../auth/index.ts'
import { findAcceptedIssues, findFinalizations } from '../../../designs/index.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import type { Order, OrderItem } from '../store.ts'
import { findActorsOf, toActorBody, toNoteBody } from './actor-body.ts'
import { type OrderBody, type OrderView, toOrderBody } from './schemas.ts'

/**
 * Creates the response bodies of orders. For operators, further queries add the print files and receipts of
 * all items, and who acted.
 */
export async function presentOrders(db: Db | Trx, orders: readonly Order[], view: OrderView): Promise<OrderBody[]> {
  if (!view.operator) return orders.map((order) => toOrderBody(order, view))
  const found = await findFinalizations(
    db,
    orders.flatMap(({ items }) => items),
  )
  const recorded = orders.flatMap(({ timeline, notes }) => [...timeline, ...notes])
  const actors = await findActorsOf(db, recorded)
  const finalizations = new Map(
    found.map(({ id, priceLock, files, receipt }) => [
      finalizationKey({ finalizationId: id, priceLock }),
      { files, receipt },
    ]),
  )
  return orders.map((order) => {
    const body = toOrderBody(order, view)
    const names = order.items.map(finalizationKey)
    const items = body.items.map((item, index) => ({
      ...item,
      ...finalizations.get(names[index] ?? ''),
      // The files of the design show the names of the placeholders, so an item with texts never uses them.
      ...(item.personalization === undefined ? {} : { files: item.personalization.files }),
    }))
    const notes = order.notes.map((note) => toNoteBody(note, actors))
    return { ...body, items, timeline: nameActors(body, order, actors), notes }
  })
}

function nameActors({ timeline }: OrderBody, order: Order, names: ActorNames): OrderBody['timeline'] {
  return timeline.map((entry, index) => {
    const recorded = order.timeline[index]
    const actor = recorded && toActorBody(recorded, names)
    return actor === undefined ? entry : { ...entry, actor }
  })
}

export async function presentOrder(db: Db | Trx, order: Order, view: OrderView): Promise<OrderBody> {
  const [body] = await presentOrders(db, [order], view)
  if (body === undefined) throw new Error('presentOrders returned nothing for an order')
  return view.operator ? withPreflight(db, body) : body
}

/** Adds the issues of the designs. Lists leave them out, because a page of orders can have thousands of designs. */
async function withPreflight(db: Db | Trx, body: OrderBody): Promise<OrderBody> {
  const ids = body.items.map(({ finalizationId }) => finalizationId)
  const found = await findAcceptedIssues(db, ids)
  const items = body.items.map((item) => {
    const preflight = found.get(item.finalizationId)
    return preflight === undefined ? item : { ...item, preflight }
  })
  return { ...body, items }
}

function finalizationKey({ finalizationId, priceLock }: Pick<OrderItem, 'finalizationId' | 'priceLock'>): string {
  return `${finalizationId} ${priceLock}`
}
