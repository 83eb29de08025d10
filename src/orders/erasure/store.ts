import { sql } from 'kysely'
import type { Trx } from '../../platform/db/index.ts'
import { deleteItemFiles } from '../item-files/store.ts'
import { deleteNotes } from '../notes/store.ts'
import { PRICE_AGREED } from '../order/bodies/agreed-price.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import type { OrderStatus } from '../order/state.ts'

export interface OrderToErase {
  id: string
  status: OrderStatus
  shippingAddress: PostalAddress
  /** Whether at least one parcel has left the shop and has neither arrived nor come back. */
  isInTransit: boolean
}

/** Locks the orders of an account that still contain personal data. */
export async function lockErasableOrders(
  trx: Trx,
  ownerId: string,
  { erasedName, after, limit }: { erasedName: string; after: string; limit: number },
): Promise<OrderToErase[]> {
  const { rows } = await sql<Omit<OrderToErase, 'isInTransit'>>`
    select id, status, shipping_address as "shippingAddress" from orders
    where owner_id = ${ownerId} and id > ${after}
      and (shipping_address->>'name', shipping_address->>'line1') <> (${erasedName}::text, ${erasedName}::text)
    order by id limit ${limit}::int for update`.execute(trx)
  // This query runs after the locks: a query that itself waits for a lock would miss a parcel that left during the
  // wait.
  const underWay = await trx
    .selectFrom('shipments')
    .select('order_id')
    .where(sql<boolean>`order_id = any(${rows.map(({ id }) => id)}::text[])`)
    .where('status', '=', 'shipped')
    .execute()
  const ids = new Set(underWay.map(({ order_id }) => order_id))
  return rows.map((row) => ({ ...row, isInTransit: ids.has(row.id) }))
}

/** Erases what the customer entered. Items, amounts and shipments stay. */
export async function eraseOrderContent(trx: Trx, id: string, address: PostalAddress): Promise<void> {
  const set = { shipping_address: JSON.stringify(address), metadata: '{}', external_reference: null }
  await trx.updateTable('orders').set(set).where('id', '=', id).execute()
  await deleteItemFiles(trx, id)
  await deleteNotes(trx, id)
  await sql`
    update order_items set data = null, snapshot = (snapshot::jsonb - 'designName')::json where order_id = ${id}`.execute(
    trx,
  )
  await trx
    .updateTable('order_timeline')
    .set({ reason: null })
    .where('order_id', '=', id)
    .where(sql<boolean>`not (type = any(${RECORDS}::text[]) and actor <> 'customer')`)
    .execute()
}

/**
 * Whether erasure retains the reason of a timeline entry. The reasons that an operator gives for a refund or an
 * agreed price belong to the accounting records. Other reasons may contain personal data.
 */
const RECORDS = ['payment.refunded', PRICE_AGREED]

export function keepsReason({ type, by }: { type: string; by: string }): boolean {
  return RECORDS.includes(type) && by !== 'customer'
}

/**
 * Lists those of the designs that orders refer to. The owner does not matter: while a claim or a merge is in progress, a
 * design and its orders can have different owners.
 */
export async function listOrderedDesigns(trx: Trx, designIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ design_id: string }>`
    select distinct f.design_id from finalizations f join order_items i on i.finalization_id = f.id
    where f.design_id = any(${designIds}::text[])`.execute(trx)
  return rows.map((row) => row.design_id)
}

/** Moves all quotes of a user to another one. Returns how many there were. */
export async function moveQuotes(trx: Trx, from: string, to: string): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('quotes')
    .set({ owner_id: to })
    .where('owner_id', '=', from)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

const STARTED = ['in_production', 'partially_shipped', 'shipped', 'delivered'] satisfies OrderStatus[]

/** Whether production of an order of a user has started, so that the owner can no longer cancel it. */
export async function hasBought(trx: Trx, ownerId: string): Promise<boolean> {
  const { rows } = await sql`
    select from orders where owner_id = ${ownerId}
    and coalesce(held_status, status) = any(${STARTED}::text[]) limit 1`.execute(trx)
  return rows.length > 0
}
