import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import { deleteItemFiles } from '../item-files/store.ts'
import type { Address } from '../order/address.ts'
import type { OrderStatus } from '../order/state.ts'

export interface OrderToErase {
  id: string
  status: OrderStatus
  shippingAddress: Address
  /** A parcel was handed to a carrier, and neither arrived nor came back. */
  isUnderWay: boolean
}

/** Ids of a person's orders that wait for payment. */
export async function listUnpaid(db: Db, ownerId: string): Promise<string[]> {
  const unpaid = db.selectFrom('orders').select('id').where('owner_id', '=', ownerId)
  const rows = await unpaid.where('status', '=', 'awaiting_payment').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** The orders of a person that still say who they are, kept from being changed until the transaction ends. */
export async function lockOrdersToErase(
  trx: Trx,
  ownerId: string,
  { erasedName, after, limit }: { erasedName: string; after: string; limit: number },
): Promise<OrderToErase[]> {
  const { rows } = await sql<Omit<OrderToErase, 'isUnderWay'>>`
    select id, status, shipping_address as "shippingAddress" from orders
    where owner_id = ${ownerId} and id > ${after}
      and (shipping_address->>'name', shipping_address->>'line1') <> (${erasedName}::text, ${erasedName}::text)
    order by id limit ${limit}::int for update`.execute(trx)
  // After the locks: a query that waited would not know of a parcel that left meanwhile.
  const underWay = await trx
    .selectFrom('shipments')
    .select('order_id')
    .where(sql<boolean>`order_id = any(${rows.map(({ id }) => id)}::text[])`)
    .where('status', '=', 'shipped')
    .execute()
  const ids = new Set(underWay.map(({ order_id }) => order_id))
  return rows.map((row) => ({ ...row, isUnderWay: ids.has(row.id) }))
}

/** Removes what the customer told about themselves; what was ordered, paid and sent stays. */
export async function forgetOrder(trx: Trx, id: string, address: Address): Promise<void> {
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

/** What an operator wrote to a refund belongs to the books; other reasons speak of the customer. */
const REFUNDED = 'payment.refunded'

/** Whether what somebody wrote into the timeline of an order is kept without its customer. */
export function keepsReason({ type, by }: { type: string; by: string }): boolean {
  return type === REFUNDED && by !== 'customer'
}

/** The designs of a person that orders were made of. */
export async function listOrderedDesigns(trx: Trx, ownerId: string): Promise<string[]> {
  const { rows } = await sql<{ design_id: string }>`
    select distinct i.design_id from order_items i join orders o on o.id = i.order_id where o.owner_id = ${ownerId}`.execute(
    trx,
  )
  return rows.map((row) => row.design_id)
}
