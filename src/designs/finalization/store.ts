import { type Nullable, type RawBuilder, sql } from 'kysely'
import type { DatabasePool, Db, Trx } from '../../platform/db/index.ts'
import { defineLeases, type HeldRow } from '../../platform/db/locking/leases.ts'
import { hasShareOf } from '../../platform/db/share.ts'
import { extendUnpaid, forgetUnpaid } from '../../platform/storage/index.ts'
import { type PriceTiers, type VariantLabel, variantLabels } from '../../products/index.ts'
import type { FinalizationFile } from '../files/stored-file.ts'
import { isId } from '../ids.ts'
import type { DesignStatus } from '../state.ts'
import type { DesignKey } from '../store.ts'

const leases = defineLeases('designs', { id: 'id', until: 'lease_until' })

export interface NewFinalization {
  id: string
  designId: string
  revision: number
  contentHash: string
  productId: string
  variantId: string
  weightGrams: number
  printAreasJson: string
  /** SHA-256 of the colour profile that the print file names. */
  outputProfileSha256?: string
  files: FinalizationFile[]
  warningsJson: string
  placeholders: string[]
  finalizedAt: Date
}

export interface NewPriceLock {
  finalizationId: string
  number: number
  priceTiers: PriceTiers
  currency: string
  validUntil: Date
  receipt: string
  lockedAt: Date
}

/** Counts the designs whose finalization is in progress or waiting, of an account or of all guests of its network. */
export async function countFinalizing(trx: Trx, ownerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from designs where status = 'finalizing' and ${hasShareOf(ownerId)}`.execute(trx)
  return rows[0]?.count ?? 0
}

/**
 * Inserts the finalization of a design. Fails if the design has one already, because a finalization is never replaced.
 */
export async function insertFinalization(trx: Trx, finalization: NewFinalization): Promise<void> {
  await trx
    .insertInto('finalizations')
    .values({
      id: finalization.id,
      design_id: finalization.designId,
      revision: finalization.revision,
      content_hash: finalization.contentHash,
      product_id: finalization.productId,
      variant_id: finalization.variantId,
      weight_grams: finalization.weightGrams,
      print_areas: finalization.printAreasJson,
      output_profile_sha256: finalization.outputProfileSha256 ?? null,
      files: JSON.stringify(finalization.files),
      warnings: finalization.warningsJson,
      placeholders: JSON.stringify(finalization.placeholders),
      finalized_at: finalization.finalizedAt,
    })
    .execute()
}

/**
 * Selects, of the given hashes, those that finalizations still need: print files and previews, and the colour profiles
 * that print files of later orders will name.
 */
export function storedFiles(sha256s: readonly string[]): RawBuilder<{ sha256: string }> {
  return sql`
    select unnest(file_hashes(files)) as sha256 from finalizations where file_hashes(files) && ${[...sha256s]}::text[]
    union all
    select output_profile_sha256 from finalizations where output_profile_sha256 = any(${[...sha256s]})`
}

export async function insertPriceLock(trx: Trx, lock: NewPriceLock): Promise<void> {
  await trx
    .insertInto('price_locks')
    .values({
      finalization_id: lock.finalizationId,
      number: lock.number,
      price_tiers: JSON.stringify(lock.priceTiers),
      currency: lock.currency,
      valid_until: lock.validUntil,
      receipt: lock.receipt,
      locked_at: lock.lockedAt,
    })
    .execute()
}

/**
 * Moves the end of a lease. Until then, the bytes that were charged for the finalization count towards the limit on
 * what the account stores without paying.
 *
 * @returns false if the caller has lost the lease
 */
export async function extendLease(db: Db, { id, token, until }: { id: string; token: string; until: Date }) {
  if (!(await leases.renew(db, { id, token }, until))) return false
  await extendUnpaid(db, token, until)
  return true
}

/**
 * Extends a lease like `extendLease`, but never waits: it uses the reserved part of the connection pool and skips a
 * locked design.
 *
 * @returns false if the caller has lost the lease, or if the design is locked
 */
export async function renewLease(
  pool: DatabasePool['pool'],
  { id, token, until }: { id: string; token: string; until: Date },
): Promise<boolean> {
  const { rowCount } = await pool.query(RENEW_LEASE, [until, id, token])
  return rowCount === 1
}

const RENEW_LEASE = `
  with renewed as (
    update designs set lease_until = $1
    where id = (select id from designs where id = $2 and lease_token = $3 for no key update skip locked)
    returning lease_token),
  counted as (
    update storage_unpaid set counts_until = $1 where subject = (select lease_token from renewed))
  select from renewed`

/**
 * Finds and locks the design that has a lease. Its owner may have changed since the lease was taken: when a guest gets an account,
 * or two customers are merged.
 */
export async function findLeased(db: Db | Trx, { id, token }: HeldRow): Promise<DesignKey | undefined> {
  const { rows } = await sql<DesignKey>`
    select id, owner_id as "ownerId" from designs where id = ${id} and lease_token = ${token} for update`.execute(db)
  return rows[0]
}

/** Makes a design a draft again, if the caller still holds its lease. */
export async function releaseLease(db: Db | Trx, held: HeldRow): Promise<void> {
  await db
    .updateTable('designs')
    .set({ status: 'draft', lease_token: null, lease_until: null })
    .where(leases.isHeld(held))
    .execute()
  await forgetUnpaid(db, [held.token])
}

/**
 * Makes a design a draft again and records why it was not finalized. The caller must have locked the design and hold
 * its lease.
 */
export async function recordFailure(
  trx: Trx,
  { id, status, errorJson }: { id: string; status: DesignStatus; errorJson: string },
): Promise<void> {
  await trx
    .updateTable('designs')
    .set((eb) => ({
      status,
      lease_token: null,
      lease_until: null,
      last_finalization_error: errorJson,
      finalization_failures: eb('finalization_failures', '+', 1),
    }))
    .where('id', '=', id)
    .execute()
}

/** Makes designs drafts whose lease ended at or before this time. Returns the number of these designs. */
export async function releaseLeases(db: Db, endedBy: Date): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('designs')
    .set({ status: 'draft', lease_token: null, lease_until: null })
    .where('status', '=', 'finalizing')
    .where('lease_until', '<=', endedBy)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/**
 * Makes designs drafts whose lease belongs to no waiting job. Returns the number of these designs.
 *
 * @param jobKeyPrefix prefix of the keys of finalization jobs; the token of the lease follows it
 */
export async function releaseLeasesWithoutJob(db: Db, jobKeyPrefix: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update designs set status = 'draft', lease_token = null, lease_until = null
    where status = 'finalizing'
      and not exists (select 1 from graphile_worker.jobs where key = ${jobKeyPrefix} || lease_token)`.execute(db)
  return Number(numAffectedRows)
}

export async function fileBytesOf(db: Db | Trx, finalizationIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; bytes: number }>`
    select f.id, sum((file ->> 'bytes')::bigint)::bigint as bytes
    from finalizations f, json_array_elements(f.files) as file
    where f.id = any(${[...new Set(finalizationIds)]}) group by f.id`.execute(db)
  return new Map(rows.map(({ id, bytes }) => [id, bytes]))
}

/** Finds the print files of finalizations, by the ids of the finalizations. */
export async function findPrintFiles(
  db: Db,
  finalizationIds: readonly string[],
): Promise<Map<string, FinalizationFile[]>> {
  const { rows } = await sql<{ id: string; files: FinalizationFile[] }>`
    select f.id, json_agg(file) as files
    from finalizations f, json_array_elements(f.files) as file
    where f.id = any(${[...new Set(finalizationIds)]}) and file ->> 'kind' = 'print' group by f.id`.execute(db)
  return new Map(rows.map(({ id, files }) => [id, files]))
}

/** What a pick list shows of a design. */
export interface PreviewRecord {
  id: string
  productId: string
  /** SHA-256 of the first preview. Null without one. */
  preview: string | null
}

/** Finds the previews of finalizations, of any owner. The caller decides about access. */
export async function findPreviews(db: Db, finalizationIds: readonly string[]): Promise<PreviewRecord[]> {
  const { rows } = await sql<PreviewRecord>`
    select f.id, f.product_id as "productId", (
      select file.value ->> 'sha256' from json_array_elements(f.files) with ordinality as file
      where file.value ->> 'kind' = 'preview' order by file.ordinality limit 1
    ) as preview
    from finalizations f where f.id = any(${[...new Set(finalizationIds)]})`.execute(db)
  return rows
}

/** The part of a finalization that orders need. */
export interface FinalizationRecord {
  id: string
  designId: string
  productId: string
  revision: number
  contentHash: string
  files: FinalizationFile[]
  priceLock: number
  /** Receipt of this price lock. */
  receipt: string
}

export interface PriceLockKey {
  finalizationId: string
  /** Number of the price lock: 1 for the first, increased by one with each renewal. */
  priceLock: number
}

interface FinalizationRow {
  id: string
  design_id: string
  product_id: string
  revision: number
  content_hash: string
  files: FinalizationFile[]
  number: number
  receipt: string
}

/**
 * Finds finalizations with the given price locks, in no particular order and of any owner. The caller decides about
 * access.
 */
export async function findFinalizations(db: Db | Trx, keys: readonly PriceLockKey[]): Promise<FinalizationRecord[]> {
  if (keys.length === 0) return []
  const ids = keys.map(({ finalizationId }) => finalizationId)
  const numbers = keys.map(({ priceLock }) => priceLock)
  const { rows } = await sql<FinalizationRow>`
    select f.id, f.design_id, f.product_id, f.revision, f.content_hash, f.files, p.number, p.receipt
    from finalizations f join price_locks p on p.finalization_id = f.id
    where (p.finalization_id, p.number) in (
      select id, number from unnest(${ids}::text[], ${numbers}::int[]) as wanted (id, number))`.execute(db)
  return rows.map((row) => ({
    id: row.id,
    designId: row.design_id,
    productId: row.product_id,
    revision: row.revision,
    contentHash: row.content_hash,
    files: row.files,
    priceLock: row.number,
    receipt: row.receipt,
  }))
}

/** The label is null if the design has no finalization, or if its product no longer exists. */
export interface OrderableRow extends Nullable<VariantLabel> {
  design_id: string
  name: string
  status: DesignStatus
  finalization_id: string | null
  product_id: string
  variant_id: string
  weight_grams: number
  files: FinalizationFile[]
  placeholders: string[]
  price_number: number
  price_tiers: PriceTiers
  currency: string
  /** Null if the design has no finalization. */
  valid_until: Date | null
}

const ORDERABLE_COLUMNS = sql`design_id, name, status, finalization_id, product_id, variant_id, weight_grams, files,
  placeholders, price_number, price_tiers, currency, valid_until`

/**
 * Reads what an order needs of these designs of an account, and prevents their archiving until the transaction ends.
 * Designs that do not exist or belong to another account are left out. If this function waited for the lock of a
 * design, its finalization and price may be in the state before the wait.
 */
export async function lockForOrder(trx: Trx, designIds: readonly string[], ownerId: string): Promise<OrderableRow[]> {
  const ids = designIds.filter((id) => isId('design', id))
  if (ids.length === 0) return []
  // Locks the designs in a fixed order, so that two transactions cannot deadlock.
  const { rows } = await sql<OrderableRow>`
    with locked as (
      select d.id as design_id, d.name, d.status, f.id as finalization_id, f.product_id, f.variant_id, f.weight_grams,
        f.files, f.placeholders, p.number as price_number, p.price_tiers, p.currency, p.valid_until
      from designs d
      left join finalizations f on f.design_id = d.id
      left join lateral (
        select number, price_tiers, currency, valid_until from price_locks
        where finalization_id = f.id order by number desc limit 1
      ) p on true
      where d.id = any(${ids}::text[]) and d.owner_id = ${ownerId}
      order by d.id collate "C" for share of d
    )
    select ${ORDERABLE_COLUMNS}, product_name, sku, options
    from locked left join (${variantLabels(sql`select product_id, variant_id from locked`)}) label
      using (product_id, variant_id)`.execute(trx)
  return rows
}
