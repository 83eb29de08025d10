import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import { isId } from '../ids.ts'
import type { ItemFilesStatus, OrderStatus } from '../order/state.ts'

export interface Batch {
  id: string
  name: string | null
  createdAt: Date
  closedAt: Date | null
  /** Number of orders by their present status. Statuses without orders are missing. */
  counts: Partial<Record<OrderStatus, number>>
}

export interface BatchOrder {
  orderId: string
  orderNumber: string
  status: OrderStatus
  revision: number
  recipient: string
  items: number
  pieces: number
  printFiles: ItemFilesStatus
  addedAt: Date
}

const selectBatch = sql`
  select b.id, b.name, b.created_at as "createdAt", b.closed_at as "closedAt", (
    select coalesce(json_object_agg(one.status, one.count), '{}') from (
      select o.status, count(*)::int as count
      from production_batch_orders member join orders o on o.id = member.order_id
      where member.batch_id = b.id group by o.status
    ) as one
  ) as counts
  from production_batches b`

export async function findBatch(db: Db | Trx, id: string): Promise<Batch | undefined> {
  if (!isId('batch', id)) return undefined
  const { rows } = await sql<Batch>`${selectBatch} where b.id = ${id}`.execute(db)
  return rows[0]
}

/** Locks a batch, so that changes of its orders follow one another. */
export async function lockBatch(trx: Trx, id: string): Promise<Pick<Batch, 'id' | 'closedAt'> | undefined> {
  if (!isId('batch', id)) return undefined
  const { rows } = await sql<Pick<Batch, 'id' | 'closedAt'>>`
    select id, closed_at as "closedAt" from production_batches where id = ${id} for update`.execute(trx)
  return rows[0]
}

/** Lists batches, newest first, with one row more than `limit` if there are more. */
export async function listBatches(
  db: Db,
  { isOpen, after, limit }: { isOpen: boolean | undefined; after: string | undefined; limit: number },
): Promise<Batch[]> {
  const state = isOpen === undefined ? sql`true` : isOpen ? sql`b.closed_at is null` : sql`b.closed_at is not null`
  const from = after === undefined ? sql`true` : sql`b.id < ${after}`
  const { rows } = await sql<Batch>`
    ${selectBatch} where ${state} and ${from} order by b.id desc limit ${limit + 1}::int`.execute(db)
  return rows
}

/** Lists the orders of a batch in their order. Items without their print files count as failed. */
export async function listBatchOrders(db: Db, batchId: string): Promise<BatchOrder[]> {
  const { rows } = await sql<BatchOrder>`
    select o.id as "orderId", o.number as "orderNumber", o.status, o.revision, member.added_at as "addedAt",
      coalesce(o.shipping_address ->> 'company', o.shipping_address ->> 'name') as recipient,
      item.items, item.pieces, case
        when item.failed then 'failed' when item.pending then 'pending' else 'ready' end as "printFiles"
    from production_batch_orders member join orders o on o.id = member.order_id
    cross join lateral (
      select count(*)::int as items, coalesce(sum(i.quantity), 0)::int as pieces,
        coalesce(bool_or(coalesce(own.status = 'failed', i.data::text <> '{}')), false) as failed,
        coalesce(bool_or(own.status = 'pending'), false) as pending
      from order_items i left join item_files own on own.item_id = i.id where i.order_id = o.id
    ) as item
    where member.batch_id = ${batchId} order by member.position`.execute(db)
  return rows
}

/** Returns some ids of the orders of a batch, in their order. */
export async function pageOfBatchOrders(
  db: Db,
  batchId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select order_id as id from production_batch_orders where batch_id = ${batchId}
    order by position offset ${offset}::int limit ${limit}::int`.execute(db)
  return rows.map(({ id }) => id)
}

export async function insertBatch(
  trx: Trx,
  { id, name, createdAt }: Pick<Batch, 'id' | 'name' | 'createdAt'>,
): Promise<void> {
  await trx.insertInto('production_batches').values({ id, name, created_at: createdAt }).execute()
}

export interface Candidate {
  id: string
  number: string
  status: OrderStatus
}

export async function findCandidates(trx: Trx, ids: readonly string[]): Promise<Map<string, Candidate>> {
  const { rows } = await sql<Candidate>`
    select id, number, status from orders where id = any(${[...ids]}::text[])`.execute(trx)
  return new Map(rows.map((row) => [row.id, row]))
}

export async function listMembers(trx: Trx, batchId: string): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select order_id as id from production_batch_orders where batch_id = ${batchId}`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Adds orders at the end of a batch, in their order. Waits for transactions that add the same orders.
 *
 * @returns the orders that are in another open batch, which were not added
 */
export async function insertMembers(
  trx: Trx,
  batchId: string,
  { ids, at }: { ids: readonly string[]; at: Date },
): Promise<{ orderId: string; batchId: string; batchName: string | null }[]> {
  await sql`
    insert into production_batch_orders (batch_id, order_id, position, is_open, added_at)
    select ${batchId}, one.id, one.place + (
      select coalesce(max(position), 0) from production_batch_orders where batch_id = ${batchId}), true, ${at}
    from unnest(${[...ids]}::text[]) with ordinality as one (id, place)
    order by one.id
    on conflict (order_id) where is_open do nothing`.execute(trx)
  const { rows } = await sql<{ orderId: string; batchId: string; batchName: string | null }>`
    select member.order_id as "orderId", b.id as "batchId", b.name as "batchName"
    from production_batch_orders member join production_batches b on b.id = member.batch_id
    where member.order_id = any(${[...ids]}::text[]) and member.is_open and b.id <> ${batchId}`.execute(trx)
  return rows
}

export async function deleteMember(trx: Trx, batchId: string, orderId: string): Promise<void> {
  await trx
    .deleteFrom('production_batch_orders')
    .where('batch_id', '=', batchId)
    .where('order_id', '=', orderId)
    .execute()
}

/** Closes a batch. Its orders can then be in another one. */
export async function markClosed(trx: Trx, id: string, at: Date): Promise<void> {
  await trx.updateTable('production_batches').set({ closed_at: at }).where('id', '=', id).execute()
  await trx.updateTable('production_batch_orders').set({ is_open: false }).where('batch_id', '=', id).execute()
}
