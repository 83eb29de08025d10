import { sql } from 'kysely'
import type { Trx } from '../../platform/db/index.ts'
import { deleteItemFiles } from '../item-files/store.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import type { OrderStatus } from '../order/state.ts'

export interface OrderToErase {
  id: string
  status: OrderStatus
  shippingAddress: PostalAddress
  /** At least one parcel has left, and has neither arrived nor come back. */
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
  // After the locks: a query that waits for a lock would miss a parcel that left meanwhile.
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
  const set = { shipping_address: JSON.stringify(address), metadata: '{}' }
  await trx.updateTable('orders').set(set).where('id', '=', id).execute()
  await deleteItemFiles(trx, id)
  await trx.updateTable('order_items').set({ data: null }).where('order_id', '=', id).execute()
  await trx
    .updateTable('order_timeline')
    .set({ reason: null })
    .where('order_id', '=', id)
    .where(sql<boolean>`not (type = ${REFUNDED} and actor <> 'customer')`)
    .execute()
}

/** The reason that an operator gives for a refund belongs to the accounts. Other reasons may be personal data. */
const REFUNDED = 'payment.refunded'

export function keepsReason({ type, by }: { type: string; by: string }): boolean {
  return type === REFUNDED && by !== 'customer'
}

export async function listOrderedDesigns(trx: Trx, ownerId: string): Promise<string[]> {
  const { rows } = await sql<{ design_id: string }>`
    select distinct i.design_id from order_items i join orders o on o.id = i.order_id where o.owner_id = ${ownerId}`.execute(
    trx,
  )
  return rows.map((row) => row.design_id)
}

/** Moves all orders or quotes of a user to another one. Returns how many there were. */
export async function changeOwner(trx: Trx, table: 'orders' | 'quotes', from: string, to: string): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable(table)
    .set({ owner_id: to })
    .where('owner_id', '=', from)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
