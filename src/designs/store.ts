import { type RawBuilder, sql } from 'kysely'
import { noteSize } from '../platform/concurrency/request-context.ts'
import type { DatabasePool, Db, Trx } from '../platform/db/index.ts'
import { packRows } from '../platform/db/reading/packed-rows.ts'
import { isId } from './ids.ts'
import type { DesignStatus, Versioned } from './state.ts'

/** The owner is part of every key, so a design of another account is not found. */
export interface DesignKey {
  id: string
  ownerId: string
}

/**
 * A design with its finalization. Members named `...Json` contain JSON text in the form in which it is stored and sent.
 */
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
  externalReference: string | null
  /** The template from which the design was made. Its locks bind the design. */
  templateId: string | null
  leaseToken: string | null
  leaseUntil: Date | null
  lastFinalizationErrorJson: string | null
  /** Number of finalizations that failed after their response, which set `lastFinalizationErrorJson`. */
  finalizationFailures: number
  createdAt: Date
  updatedAt: Date
  finalization: Finalization | null
}

/** The result of a finalization. Only its price can be renewed. */
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
  /** Number of the price lock: 1 for the first, increased by one with each renewal. */
  number: number
  priceTiersJson: string
  currency: string
  validUntil: Date
  receipt: string
}

/** A design without its large members. */
export type DesignSummary = Omit<Design, 'documentJson' | 'preflightJson' | 'finalization'> & {
  finalization: FinalizationSummary | null
}

export type FinalizationSummary = Omit<Finalization, 'printAreasJson' | 'price'> & { price: Omit<PriceLock, 'receipt'> }

export interface DesignRow {
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
  external_reference: string | null
  template_id: string | null
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

/**
 * The query for designs without its condition.
 *
 * @param isSummary leaves out the large members, so that PostgreSQL does not read them
 */
export function selectDesigns({ isSummary }: { isSummary: boolean }): string {
  const large = (column: string) => (isSummary ? 'null' : column)
  return `
  select d.id, d.owner_id, d.status, d.revision, d.name, d.product_id, d.variant_id,
    ${large('d.document::text')} as document, ${large('d.preflight::text')} as preflight, d.metadata::text as metadata,
    d.external_reference, d.template_id, d.lease_token, d.lease_until, d.created_at, d.updated_at,
    d.last_finalization_error::text as last_finalization_error, d.finalization_failures,
    f.id as finalization_id, f.revision as finalization_revision, f.content_hash, f.finalized_at,
    ${large('f.print_areas::text')} as print_areas, f.files::text as files, f.warnings::text as warnings,
    f.placeholders::text as placeholders, p.number as price_number, p.price_tiers::text as price_tiers,
    p.currency, p.valid_until, p.receipt
  from designs d
  left join finalizations f on f.design_id = d.id
  left join lateral (
    select number, price_tiers, currency, valid_until, ${large('receipt')} as receipt from price_locks
    where finalization_id = f.id order by number desc limit 1
  ) p on true`
}

const READ = selectDesigns({ isSummary: false })

const PACKED = packRows<DesignRow>({
  id: 'value',
  owner_id: 'value',
  status: 'value',
  revision: 'value',
  name: 'value',
  product_id: 'value',
  variant_id: 'value',
  external_reference: 'value',
  template_id: 'value',
  lease_token: 'value',
  finalization_failures: 'value',
  finalization_id: 'value',
  finalization_revision: 'value',
  content_hash: 'value',
  price_number: 'value',
  currency: 'value',
  receipt: 'value',
  lease_until: 'date',
  created_at: 'date',
  updated_at: 'date',
  finalized_at: 'date',
  valid_until: 'date',
  document: 'text',
  preflight: 'text',
  metadata: 'text',
  last_finalization_error: 'text',
  print_areas: 'text',
  files: 'text',
  warnings: 'text',
  placeholders: 'text',
  price_tiers: 'text',
})

const READ_ONE = { name: 'read-design', text: PACKED.pack(`${READ} where d.id = $1 and d.owner_id = $2`) }

/** Reads a design with a prepared statement and without a query builder, because this is the most frequent read. */
export async function readDesign(pool: DatabasePool['reads'], key: DesignKey): Promise<Design | undefined> {
  if (!isId('design', key.id)) return undefined
  const { rows } = await pool.query<{ packed: string }>({ ...READ_ONE, values: [key.id, key.ownerId] })
  return rows[0] && toDesign(PACKED.unpack(rows[0].packed))
}

const READ_VERSION = {
  name: 'read-design-version',
  text: `select d.status, d.revision, d.lease_until as "leaseUntil", d.finalization_failures as "finalizationFailures",
      d.last_finalization_error::text as "lastFinalizationErrorJson",
      (select max(p.number) from finalizations f join price_locks p on p.finalization_id = f.id where f.design_id = d.id)
        as "priceNumber"
    from designs d where d.id = $1 and d.owner_id = $2`,
}

/** Reads what the entity tag of a design depends on, without its document. */
export async function readVersion(pool: DatabasePool['reads'], key: DesignKey): Promise<Versioned | undefined> {
  if (!isId('design', key.id)) return undefined
  const { rows } = await pool.query<Omit<Versioned, 'finalization'> & { priceNumber: number | null }>({
    ...READ_VERSION,
    values: [key.id, key.ownerId],
  })
  if (rows[0] === undefined) return undefined
  const { priceNumber, ...version } = rows[0]
  return { ...version, finalization: priceNumber === null ? null : { price: { number: priceNumber } } }
}

export async function findDesign(db: Db | Trx, key: DesignKey): Promise<Design | undefined> {
  if (!isId('design', key.id)) return undefined
  const { rows } =
    await sql<DesignRow>`${sql.raw(READ)} where d.id = ${key.id} and d.owner_id = ${key.ownerId}`.execute(db)
  return rows[0] && toDesign(rows[0])
}

/** Returns the bytes that a design takes in the database, without reading its document. 0 if it is not found. */
export async function readStoredSize(db: Db, key: DesignKey): Promise<number> {
  if (!isId('design', key.id)) return 0
  const { rows } = await sql<{ bytes: number }>`
    select pg_column_size(document) + pg_column_size(preflight) + pg_column_size(metadata) as bytes from designs
    where id = ${key.id} and owner_id = ${key.ownerId}`.execute(db)
  const bytes = rows[0]?.bytes ?? 0
  noteSize(bytes * COMPRESSION)
  return bytes
}

/** PostgreSQL compresses large documents to about a quarter. */
const COMPRESSION = 4

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
  // Reads in a separate statement: one that waits for the lock and joins tables would show the joined tables as they
  // were before the wait.
  await trx
    .selectFrom('designs')
    .select('id')
    .where('id', '=', key.id)
    .where('owner_id', '=', key.ownerId)
    .forUpdate()
    .execute()
  return findDesign(trx, key)
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
      external_reference: design.externalReference,
      template_id: design.templateId,
      created_at: design.createdAt,
      updated_at: design.createdAt,
      revised_at: design.createdAt,
    })
    .execute()
}

/** Updates the members that a change can have. Afterwards the design is a draft without a lease. */
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
      external_reference: design.externalReference,
      lease_token: null,
      lease_until: null,
      updated_at: design.updatedAt,
      revised_at: design.updatedAt,
    })
    .where('id', '=', design.id)
    .execute()
}

type DraftTexts = Pick<Design, 'documentJson' | 'preflightJson' | 'metadataJson'>

/** Returns the bytes that a design without a finalization counts towards the storage quota of its owner. */
export function draftBytes({ documentJson, preflightJson, metadataJson }: DraftTexts): number {
  return Buffer.byteLength(documentJson) + Buffer.byteLength(preflightJson) + Buffer.byteLength(metadataJson)
}

/** Estimated bytes of the rows of a finalization apart from the document: print areas, receipt, price, indexes. */
const FINALIZATION_BYTES = 16 * 1024

/**
 * Estimates the bytes that a finalized design occupies in the database: its row, and the events of finalizing and
 * archiving.
 */
export function finalizedBytes(design: DraftTexts): number {
  return FINALIZATION_BYTES + 3 * draftBytes(design)
}

/**
 * Selects the sum of `draftBytes` over the designs of an account that have no finalization. An archived draft counts
 * too, because its owner can still read it.
 */
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
  /** Present only for the status `finalizing`. */
  lease?: { token: string; until: Date }
  /** Absent at the beginning of a finalization, which does not change the content. */
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

/** Deletes designs with their finalizations and prices. None of them may have been ordered. */
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
    update designs set status = 'archived', name = 'Erased', metadata = '{}', external_reference = null,
      lease_token = null, lease_until = null,
      last_finalization_error = null, updated_at = ${at}
    where id = any(${ids}) and name <> 'Erased'`.execute(trx)
}

export function toDesign(row: DesignRow): Design {
  const { finalization, ...summary } = toDesignSummary(row)
  noteSize(Buffer.byteLength(row.document) + Buffer.byteLength(row.preflight))
  return {
    ...summary,
    documentJson: row.document,
    preflightJson: row.preflight,
    finalization: finalization && {
      ...finalization,
      printAreasJson: row.print_areas,
      price: { ...finalization.price, receipt: row.receipt },
    },
  }
}

type SummaryRow = Omit<DesignRow, 'document' | 'preflight' | 'print_areas' | 'receipt'>

export function toDesignSummary(row: SummaryRow): DesignSummary {
  return {
    id: row.id,
    ownerId: row.owner_id,
    status: row.status,
    revision: row.revision,
    name: row.name,
    productId: row.product_id,
    variantId: row.variant_id,
    metadataJson: row.metadata,
    externalReference: row.external_reference,
    templateId: row.template_id,
    leaseToken: row.lease_token,
    leaseUntil: row.lease_until,
    lastFinalizationErrorJson: row.last_finalization_error,
    finalizationFailures: row.finalization_failures,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    finalization: row.finalization_id === null ? null : toFinalization(row.finalization_id, row),
  }
}

function toFinalization(id: string, row: SummaryRow): FinalizationSummary {
  return {
    id,
    revision: row.finalization_revision,
    contentHash: row.content_hash,
    finalizedAt: row.finalized_at,
    filesJson: row.files,
    warningsJson: row.warnings,
    placeholdersJson: row.placeholders,
    price: {
      number: row.price_number,
      priceTiersJson: row.price_tiers,
      currency: row.currency,
      validUntil: row.valid_until,
    },
  }
}
