import { type RawBuilder, sql } from 'kysely'
import type { FinalizationFile, Sources } from '../../designs/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { defineLeases } from '../../platform/db/locking/leases.ts'
import { hasShareOf, shareOfCustomer } from '../../platform/db/share.ts'
import { GUESTS } from '../../platform/fair-share.ts'
import type { StorageReferences } from '../../platform/storage/index.ts'
import { isId } from '../ids.ts'
import { ERASED } from '../order/postal-address.ts'
import type { ItemFilesFailure, ItemFilesStatus } from '../order/state.ts'
import type { OrderKey } from '../order/store.ts'
import type { Turn } from './fair-queue.ts'

export interface NewItemFiles {
  itemId: string
  sources: Sources
  sha256s: string[]
}

/**
 * Inserts files that are to be rendered.
 *
 * @param dueAt time of the first try; undefined: the files wait until `scheduleItemFiles` makes them due
 */
export async function insertItemFiles(
  trx: Trx,
  orderId: string,
  files: readonly NewItemFiles[],
  dueAt: Date | undefined,
): Promise<void> {
  const rows = files.map(({ itemId, sources, sha256s }) => ({
    item_id: itemId,
    order_id: orderId,
    status: 'pending' satisfies ItemFilesStatus,
    sources: JSON.stringify(sources),
    sha256s,
    due_at: dueAt ?? null,
  }))
  await trx.insertInto('item_files').values(rows).execute()
}

/**
 * Counts the items in unpaid orders of a customer whose files are rendered or due. Guests of one network count together.
 */
export async function countUnpaid(trx: Trx, ownerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from orders o join item_files f on f.order_id = o.id
    where ${hasShareOf(ownerId)} and o.status = 'awaiting_payment' and (f.status <> 'pending' or f.due_at is not null)`.execute(
    trx,
  )
  return rows[0]?.count ?? 0
}

/** Makes the waiting files of an order due. Returns the number of items concerned. */
export async function scheduleItemFiles(trx: Trx, orderId: string, at: Date): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('item_files')
    .set({ due_at: at })
    .where('order_id', '=', orderId)
    .where('status', '=', 'pending')
    .where('due_at', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export interface Claim {
  itemId: string
  orderId: string
  ownerId: string
  /** Of the owner (`findShare`). */
  share: string
  token: string
  /** Number of the current try, from 1. */
  attempts: number
  finalizationId: string
  values: Record<string, string>
  sources: Sources
}

/**
 * Leases the next due files of a share that is not busy. Paid orders come first, then the shares that used no time lately,
 * then those with less time. The customers of a share queue by the same rule. While visitors have all runs but one,
 * unpaid orders of visitors wait, so that any number of networks leaves a run to the others.
 *
 * @returns undefined if no files are due
 */
export async function claimItemFiles(
  db: Db,
  { token, now, until }: { token: string; now: Date; until: Date },
  { served, busy, areVisitorsBusy }: Turn,
): Promise<Claim | undefined> {
  const { rows } = await sql<Omit<Claim, 'token' | 'values'> & { values: Record<string, string> | null }>`
    update item_files f set lease_token = ${token}::uuid, lease_until = ${until}, attempts = attempts + 1
    from order_items i join orders own on own.id = i.order_id left join newcomers on newcomers.user_id = own.owner_id
    where i.id = f.item_id and f.item_id = (
      select due.item_id from item_files due join orders o on o.id = due.order_id
        left join newcomers n on n.user_id = o.owner_id
        cross join lateral (select ${shareOfCustomer('o.owner_id', 'n.network')} as name) as share
      where due.due_at <= ${now} and (due.lease_until is null or due.lease_until <= ${now})
        and share.name <> all (${[...busy]}::text[])
        and not (${areVisitorsBusy} and o.status = 'awaiting_payment' and starts_with(share.name, ${GUESTS}))
      order by o.status = 'awaiting_payment',
        array_position(${[...served]}::text[], share.name) nulls first,
        array_position(${[...served]}::text[], o.owner_id) nulls first,
        due.due_at, due.item_id
      limit 1 for update of due skip locked)
    returning f.item_id as "itemId", f.order_id as "orderId", own.owner_id as "ownerId",
      ${shareOfCustomer('own.owner_id', 'newcomers.network')} as share, f.attempts, f.sources,
      i.finalization_id as "finalizationId", i.data as values`.execute(db)
  const [row] = rows
  return row && { ...row, token, values: row.values ?? {} }
}

type Held = Pick<Claim, 'itemId' | 'token'>

const leases = defineLeases('item_files', { id: 'item_id', until: 'lease_until' })

/** Returns the SQL condition that the caller still holds the lease of a claim. */
const isHeld = ({ itemId, token }: Held) => leases.isHeld({ id: itemId, token })

export function renewClaim(db: Db, { itemId, token }: Held, until: Date): Promise<boolean> {
  return leases.renew(db, { id: itemId, token }, until)
}

const NO_LEASE = { lease_token: null, lease_until: null }

/** Ends a claim and schedules the next try. `counted` states whether the ended try counts towards the maximum. */
export async function rescheduleItemFiles(
  db: Db,
  held: Held,
  { dueAt, counted }: { dueAt: Date; counted: boolean },
): Promise<void> {
  await db
    .updateTable('item_files')
    .set(({ eb }) => ({ ...NO_LEASE, due_at: dueAt, ...(counted ? {} : { attempts: eb('attempts', '-', 1) }) }))
    .where(isHeld(held))
    .execute()
}

/** Ends a claim whose files wait until `scheduleItemFiles` makes them due. The ended try does not count. */
export async function suspendItemFiles(db: Db, held: Held): Promise<void> {
  await db
    .updateTable('item_files')
    .set(({ eb }) => ({ ...NO_LEASE, due_at: null, attempts: eb('attempts', '-', 1) }))
    .where(isHeld(held))
    .execute()
}

/** Ends a claim without files. Returns whether the caller still held its lease. */
export async function failItemFiles(trx: Trx, held: Held, failure: ItemFilesFailure): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('item_files')
    .set({ ...NO_LEASE, status: 'failed', failure, due_at: null })
    .where(isHeld(held))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface DrawnItemFiles {
  contentHash: string
  files: FinalizationFile[]
  /** Whether another item of the order has these files. */
  isShared: boolean
}

/**
 * Ends a claim with files, and releases what they were rendered from. Returns whether the caller still held the lease.
 */
export async function setItemFiles(
  trx: Trx,
  held: Held,
  { contentHash, files }: Pick<DrawnItemFiles, 'contentHash' | 'files'>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('item_files')
    .set({
      ...NO_LEASE,
      status: 'ready',
      content_hash: contentHash,
      files: JSON.stringify(files),
      sha256s: hashesOf(files),
      sources: null,
      failure: null,
      due_at: null,
    })
    .where(isHeld(held))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export function hashesOf(files: readonly FinalizationFile[]): string[] {
  return [...new Set(files.map(({ sha256 }) => sha256))]
}

/** Finds the files of another item in the order with the same content. */
export async function findEqualFiles(
  db: Db,
  { orderId, contentHash }: { orderId: string; contentHash: string },
): Promise<FinalizationFile[] | undefined> {
  const row = await db
    .selectFrom('item_files')
    .select('files')
    .where('order_id', '=', orderId)
    .where('content_hash', '=', contentHash)
    .executeTakeFirst()
  return (row?.files ?? undefined) as FinalizationFile[] | undefined
}

export async function retryFailedItemFiles(trx: Trx, itemId: string, at: Date): Promise<void> {
  await trx
    .updateTable('item_files')
    .set({ status: 'pending', failure: null, attempts: 0, due_at: at })
    .where('item_id', '=', itemId)
    .execute()
}

/** Ends the rendering for items of a cancelled order, and releases the sources of all its failed files. */
export async function abandonItemFiles(trx: Trx, orderId: string, itemIds: readonly string[]): Promise<void> {
  await trx
    .updateTable('item_files')
    .set({ ...NO_LEASE, status: 'failed', failure: 'order_cancelled' satisfies ItemFilesFailure, due_at: null })
    .where('order_id', '=', orderId)
    .where('item_id', '=', sql<string>`any(${[...itemIds]})`)
    .execute()
  await trx
    .updateTable('item_files')
    .set({ sha256s: [] })
    .where('order_id', '=', orderId)
    .where('status', '=', 'failed')
    .execute()
}

/** Deletes the files of an order. Garbage collection removes their bytes. */
export async function deleteItemFiles(trx: Trx, orderId: string): Promise<void> {
  await trx.deleteFrom('item_files').where('order_id', '=', orderId).execute()
}

export const orderReferences: StorageReferences = {
  name: 'orders',
  columns: ['item_files.sha256s', 'item_files.files', 'item_files.sources'],
  query: (sha256s) => sql<{ sha256: string }>`
    select one as sha256 from item_files, unnest(sha256s) as one
    where sha256s && ${[...sha256s]}::text[] and one = any(${[...sha256s]}::text[])`,
}

/** What leads to the files of an order item. */
export interface ItemOfOrder {
  /** From 0. */
  position: number
  finalizationId: string
  priceLock: number
  /** Null for an item whose files are those of its design. */
  filesStatus: ItemFilesStatus | null
  files: FinalizationFile[] | null
}

/** Names the order of an item: for its owner, or for a link that an actor has made. */
export interface ItemOrderKey extends OrderKey {
  linkedBy?: 'customer' | 'operator'
}

/** Finds an order, and one of its items. Undefined if the owner has no such order, or if its links have ended. */
export async function findItemOfOrder(
  db: Db,
  { id, ownerId, linkedBy }: ItemOrderKey,
  itemId: string,
): Promise<{ number: string; item: ItemOfOrder | undefined } | undefined> {
  if (!isId('order', id)) return undefined
  const { rows } = await sql<{ number: string; item: ItemOfOrder | null }>`
    select o.number, case when i.id is not null then json_build_object('position', i.position,
      'finalizationId', i.finalization_id, 'priceLock', i.price_lock, 'filesStatus', f.status, 'files', f.files) end as item
    from orders o left join order_items i on i.order_id = o.id and i.id = ${itemId}
      left join item_files f on f.item_id = i.id
    where o.id = ${id} and o.owner_id = coalesce(${ownerId ?? null}::text, o.owner_id)
      and ${linkedBy === undefined ? sql`true` : isLinked(linkedBy)}`.execute(db)
  return rows[0] && { number: rows[0].number, item: rows[0].item ?? undefined }
}

/**
 * SQL for whether a link to the order `o` still works: the order is not erased, nor the account of a customer who made the
 * link. Operators still need the files of an open order after its customer has deleted the account.
 */
function isLinked(by: 'customer' | 'operator'): RawBuilder<boolean> {
  const hasOwner = sql`not exists (select from users where id = o.owner_id and deleted_at is not null)`
  return sql`(o.shipping_address ->> 'name', o.shipping_address ->> 'line1') <> (${ERASED}::text, ${ERASED}::text)
    and ${by === 'customer' ? hasOwner : sql`true`}`
}

/** Returns the statuses of the files of an order, by item. Items without files of their own are missing. */
export async function findFileStatuses(trx: Trx, orderId: string): Promise<Map<string, ItemFilesStatus>> {
  const rows = await trx
    .selectFrom('item_files')
    .select(['item_id', 'status'])
    .where('order_id', '=', orderId)
    .execute()
  return new Map(rows.map(({ item_id, status }) => [item_id, status as ItemFilesStatus]))
}
