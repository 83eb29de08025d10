import { type RawBuilder, sql } from 'kysely'
import type { DatabasePool, Db, Trx } from '../platform/db/index.ts'
import { type CutRows, readCutRows } from '../platform/db/size-cut.ts'
import { isId } from './ids.ts'
import { DESIGN_STATUSES, type DesignStatus } from './state.ts'

/** The owner is part of every key, so a design of another account is not found. */
export interface DesignKey {
  id: string
  ownerId: string
}

/** A design with its finalization. Members named `...Json` hold JSON text as it is stored and sent. */
export interface Design {
  id: string
  ownerId: string
  status: DesignStatus
  revision: number
  name: string
  productId: string
  variantId: string
  documentJson: string
  preflightJson: string
  metadataJson: string
  leaseToken: string | null
  leaseUntil: Date | null
  lastFinalizationErrorJson: string | null
  /** How many finalizations have failed in this way. */
  finalizationFailures: number
  createdAt: Date
  updatedAt: Date
  finalization: Finalization | null
}

/** The result of a finalization. Only its price is ever renewed. */
export interface Finalization {
  id: string
  revision: number
  contentHash: string
  finalizedAt: Date
  printAreasJson: string
  filesJson: string
  warningsJson: string
  placeholdersJson: string
  price: PriceLock
}

export interface PriceLock {
  /** 1 for the first price lock, one more with each renewal. */
  number: number
  priceTiersJson: string
  currency: string
  validUntil: Date
  receipt: string
}

interface DesignRow {
  id: string
  owner_id: string
  status: DesignStatus
  revision: number
  name: string
  product_id: string
  variant_id: string
  document: string
  preflight: string
  metadata: string
  lease_token: string | null
  lease_until: Date | null
  last_finalization_error: string | null
  finalization_failures: number
  created_at: Date
  updated_at: Date
  finalization_id: string | null
  finalization_revision: number
  content_hash: string
  finalized_at: Date
  print_areas: string
  files: string
  warnings: string
  placeholders: string
  price_number: number
  price_tiers: string
  currency: string
  valid_until: Date
  receipt: string
}

const READ = `
  select d.id, d.owner_id, d.status, d.revision, d.name, d.product_id, d.variant_id, d.document::text as document,
    d.preflight::text as preflight, d.metadata::text as metadata, d.lease_token, d.lease_until, d.created_at, d.updated_at,
    d.last_finalization_error::text as last_finalization_error, d.finalization_failures,
    f.id as finalization_id, f.revision as finalization_revision, f.content_hash, f.finalized_at,
    f.print_areas::text as print_areas, f.files::text as files, f.warnings::text as warnings,
    f.placeholders::text as placeholders, p.number as price_number, p.price_tiers::text as price_tiers,
    p.currency, p.valid_until, p.receipt
  from designs d
  left join finalizations f on f.design_id = d.id
  left join lateral (
    select number, price_tiers, currency, valid_until, receipt from price_locks
    where finalization_id = f.id order by number desc limit 1
  ) p on true`

const READ_ONE = { name: 'read-design', text: `${READ} where d.id = $1 and d.owner_id = $2` }

/** Reads a design with a prepared statement and without a query builder, because this is the most frequent read. */
export async function readDesign(pool: DatabasePool['reads'], key: DesignKey): Promise<Design | undefined> {
  if (!isId('design', key.id)) return undefined
  const { rows } = await pool.query<DesignRow>({ ...READ_ONE, values: [key.id, key.ownerId] })
  return rows[0] && toDesign(rows[0])
}

export async function findDesign(db: Db | Trx, key: DesignKey): Promise<Design | undefined> {
  if (!isId('design', key.id)) return undefined
  const { rows } =
    await sql<DesignRow>`${sql.raw(READ)} where d.id = ${key.id} and d.owner_id = ${key.ownerId}`.execute(db)
  return rows[0] && toDesign(rows[0])
}

/** Finds a design for its links, which end when the design is archived or its account deleted. */
export async function findLinkedDesign(db: Db, id: string): Promise<Design | undefined> {
  if (!isId('design', id)) return undefined
  const { rows } = await sql<DesignRow>`${sql.raw(READ)} where d.id = ${id} and d.status <> 'archived'
    and not exists (select from users where id = d.owner_id and deleted_at is not null)`.execute(db)
  return rows[0] && toDesign(rows[0])
}

/** Reads and locks a design until the transaction ends. */
export async function lockDesign(trx: Trx, key: DesignKey): Promise<Design | undefined> {
  if (!isId('design', key.id)) return undefined
  // A separate statement: one that both waits and joins would show the joined tables as they were before the wait.
  await trx
    .selectFrom('designs')
    .select('id')
    .where('id', '=', key.id)
    .where('owner_id', '=', key.ownerId)
    .forUpdate()
    .execute()
  return findDesign(trx, key)
}

export interface DesignFilter {
  ownerId: string
  /** The state at `now`; see `statusAt`. */
  status: DesignStatus | undefined
  now: Date
  productId: string | undefined
  after: string | undefined
  limit: number
}

/** Lists the designs of an account, newest first, limited by number and size. */
export function listDesigns(db: Db, filter: DesignFilter): Promise<CutRows<Design>> {
  const { limit } = filter
  const ids = isFiltered(filter) ? selectFiltered(filter) : selectPage(filter, sql`true`)
  return readCutRows(db, { ids, bytesOf: bytesOfDesign, limit }, async (page) => {
    const { rows } =
      await sql<DesignRow>`${sql.raw(READ)} where d.id = any(${page}::text[]) order by d.id desc`.execute(db)
    return rows.map(toDesign)
  })
}

const isFiltered = ({ status, productId }: DesignFilter): boolean => status !== undefined || productId !== undefined

/** One index scan per stored status: a single scan for a rare status would read all other designs of the owner too. */
function selectFiltered(filter: DesignFilter): RawBuilder<unknown> {
  const { status, productId, now, limit } = filter
  const ofProduct = productId === undefined ? sql`` : sql`and d.product_id = ${productId}`
  const isAbandoned = sql`d.lease_until <= ${now}`
  const leases = { draft: sql`and ${isAbandoned}`, finalizing: sql`and not ${isAbandoned}` }
  const ofLease = status === 'draft' || status === 'finalizing' ? leases[status] : sql``
  const pages = storedStatuses(status).map((stored) => {
    const isStored = sql`d.status = ${sql.lit(stored)} ${ofProduct} ${stored === 'finalizing' ? ofLease : sql``}`
    return sql`(${selectPage(filter, isStored)})`
  })
  return sql`
    select found.id from (${sql.join(pages, sql` union all `)}) found order by found.id desc limit ${limit + 1}::int`
}

/** See `statusAt`. */
function storedStatuses(status: DesignStatus | undefined): readonly DesignStatus[] {
  if (status === undefined) return DESIGN_STATUSES
  return status === 'draft' ? ['draft', 'finalizing'] : [status]
}

function selectPage({ ownerId, after, limit }: DesignFilter, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select d.id from designs d
    where d.owner_id = ${ownerId} and ${condition} ${after === undefined ? sql`` : sql`and d.id < ${after}`}
    order by d.id desc limit ${limit + 1}::int`
}

/** Approximate bytes of a design as the API shows it. */
function bytesOfDesign(id: RawBuilder<string>): RawBuilder<unknown> {
  return sql`
    select 2000 + octet_length(d.document::text) + octet_length(d.preflight::text) + octet_length(d.metadata::text)
      + coalesce(octet_length(d.last_finalization_error::text), 0)
      + coalesce((
        select 3000 + octet_length(f.files::text) + octet_length(f.warnings::text) + octet_length(f.placeholders::text)
        from finalizations f where f.design_id = d.id
      ), 0)
    from designs d where d.id = ${id}`
}

export type NewDesign = Omit<
  Design,
  | 'status'
  | 'revision'
  | 'leaseToken'
  | 'leaseUntil'
  | 'lastFinalizationErrorJson'
  | 'finalizationFailures'
  | 'updatedAt'
  | 'finalization'
>

/** Adds a draft at revision 1. */
export async function insertDesign(trx: Trx, design: NewDesign): Promise<void> {
  await trx
    .insertInto('designs')
    .values({
      id: design.id,
      owner_id: design.ownerId,
      status: 'draft',
      revision: 1,
      name: design.name,
      product_id: design.productId,
      variant_id: design.variantId,
      document: design.documentJson,
      preflight: design.preflightJson,
      metadata: design.metadataJson,
      created_at: design.createdAt,
      updated_at: design.createdAt,
    })
    .execute()
}

/** Writes the members that a change can have. The design is then a draft without a lease. */
export async function updateDraft(trx: Trx, design: Design): Promise<void> {
  await trx
    .updateTable('designs')
    .set({
      status: 'draft',
      revision: design.revision,
      name: design.name,
      variant_id: design.variantId,
      document: design.documentJson,
      preflight: design.preflightJson,
      metadata: design.metadataJson,
      lease_token: null,
      lease_until: null,
      updated_at: design.updatedAt,
    })
    .where('id', '=', design.id)
    .execute()
}

type DraftTexts = Pick<Design, 'documentJson' | 'preflightJson' | 'metadataJson'>

/** What a design without a finalization counts for in the quota of its owner. */
export function draftBytes({ documentJson, preflightJson, metadataJson }: DraftTexts): number {
  return Buffer.byteLength(documentJson) + Buffer.byteLength(preflightJson) + Buffer.byteLength(metadataJson)
}

/** Rows of a finalization apart from the document: print areas, receipt, price, indexes. */
const FINALIZATION_BYTES = 16 * 1024

/** Estimates what a finalized design occupies in the database: its row, and the events of finalizing and archiving. */
export function finalizedBytes(design: DraftTexts): number {
  return FINALIZATION_BYTES + 3 * draftBytes(design)
}

/** The sum of `draftBytes` over the designs of an account. An archived draft counts: its owner can still read it. */
export function storedDraftBytes(ownerId: string): RawBuilder<{ bytes: number }> {
  return sql`
    select coalesce(sum(
      octet_length(document::text) + octet_length(preflight::text) + octet_length(metadata::text)), 0)::bigint as bytes
    from designs d
    where owner_id = ${ownerId} and not exists (select from finalizations f where f.design_id = d.id)`
}

export interface StatusChange {
  id: string
  status: DesignStatus
  /** Only for the state `finalizing`. */
  lease?: { token: string; until: Date }
  /** Left out at the beginning of a finalization, which does not change the content. */
  updatedAt?: Date
}

export async function setDesignStatus(trx: Trx, { id, status, lease, updatedAt }: StatusChange): Promise<void> {
  await trx
    .updateTable('designs')
    .set({
      status,
      lease_token: lease?.token ?? null,
      lease_until: lease?.until ?? null,
      // A lease begins a new finalization, so the error of the previous one no longer applies.
      ...(lease === undefined ? {} : { last_finalization_error: null }),
      ...(updatedAt === undefined ? {} : { updated_at: updatedAt }),
    })
    .where('id', '=', id)
    .execute()
}

/** Locks designs of an account, so that they cannot be changed or ordered until the transaction ends. */
export async function lockDesignsOf(
  trx: Trx,
  { ownerId, after, limit }: { ownerId: string; after: string; limit: number },
): Promise<string[]> {
  const rows = await trx
    .selectFrom('designs')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes designs with their finalizations and prices. None of them was ordered. */
export async function deleteDesigns(trx: Trx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    delete from price_locks where finalization_id in (select id from finalizations where design_id = any(${ids}))`.execute(
    trx,
  )
  await sql`delete from finalizations where design_id = any(${ids})`.execute(trx)
  await sql`delete from designs where id = any(${ids})`.execute(trx)
}

/** Archives designs that orders refer to, and erases their names and metadata. */
export async function eraseDesigns(trx: Trx, ids: readonly string[], at: Date): Promise<void> {
  await sql`
    update designs set status = 'archived', name = 'Erased', metadata = '{}', lease_token = null, lease_until = null,
      last_finalization_error = null, updated_at = ${at}
    where id = any(${ids}) and name <> 'Erased'`.execute(trx)
}

function toDesign(row: DesignRow): Design {
  return {
    id: row.id,
    ownerId: row.owner_id,
    status: row.status,
    revision: row.revision,
    name: row.name,
    productId: row.product_id,
    variantId: row.variant_id,
    documentJson: row.document,
    preflightJson: row.preflight,
    metadataJson: row.metadata,
    leaseToken: row.lease_token,
    leaseUntil: row.lease_until,
    lastFinalizationErrorJson: row.last_finalization_error,
    finalizationFailures: row.finalization_failures,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    finalization: row.finalization_id === null ? null : toFinalization(row.finalization_id, row),
  }
}

function toFinalization(id: string, row: DesignRow): Finalization {
  return {
    id,
    revision: row.finalization_revision,
    contentHash: row.content_hash,
    finalizedAt: row.finalized_at,
    printAreasJson: row.print_areas,
    filesJson: row.files,
    warningsJson: row.warnings,
    placeholdersJson: row.placeholders,
    price: {
      number: row.price_number,
      priceTiersJson: row.price_tiers,
      currency: row.currency,
      validUntil: row.valid_until,
      receipt: row.receipt,
    },
  }
}
