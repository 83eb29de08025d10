import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { type CutRows, readCutRows } from '../../platform/db/reading/size-cut.ts'
import { hasMetadata, type MetadataFilter } from '../../platform/records/metadata-filter.ts'
import { DESIGN_STATUSES, type DesignStatus } from '../state.ts'
import { type Design, type DesignRow, type DesignSummary, selectDesigns, toDesign, toDesignSummary } from '../store.ts'

export interface DesignFilter {
  ownerId: string
  /** The state at `now`; see `statusAt`. */
  status: DesignStatus | undefined
  now: Date
  productId: string | undefined
  externalReference?: string | undefined
  metadata?: MetadataFilter | undefined
  /** Words of the name; each word matches as a prefix. */
  words?: string | undefined
  after: string | undefined
  limit: number
}

/** Lists the designs of an account, newest first, limited by number and size. */
export async function listDesigns(db: Db, filter: DesignFilter): Promise<CutRows<Design>> {
  const { rows, nextAfter } = await readRows(db, filter, { isSummary: false })
  return { rows: rows.map(toDesign), nextAfter }
}

/** Lists designs as `listDesigns` does, without reading their large members. */
export async function listDesignSummaries(db: Db, filter: DesignFilter): Promise<CutRows<DesignSummary>> {
  const { rows, nextAfter } = await readRows(db, filter, { isSummary: true })
  return { rows: rows.map(toDesignSummary), nextAfter }
}

function readRows(db: Db, filter: DesignFilter, view: { isSummary: boolean }): Promise<CutRows<DesignRow>> {
  const cut = {
    ids: isFiltered(filter) ? selectFiltered(filter) : selectPage(filter, sql`true`),
    bytesOf: view.isSummary ? bytesOfSummary : bytesOfDesign,
    limit: filter.limit,
    isPlannedEachTime: filter.metadata !== undefined || filter.words !== undefined,
  }
  return readCutRows(db, cut, async (page) => {
    const { rows } =
      await sql<DesignRow>`${sql.raw(selectDesigns(view))} where d.id = any(${page}::text[]) order by d.id desc`.execute(
        db,
      )
    return rows
  })
}

const isFiltered = ({ status, productId }: DesignFilter): boolean => status !== undefined || productId !== undefined

function conditionsOf({ ownerId, externalReference, metadata, words }: DesignFilter): RawBuilder<unknown> {
  const ofReference = externalReference === undefined ? sql`` : sql`and d.external_reference = ${externalReference}`
  const ofName = words === undefined ? sql`` : sql`and ${hasWords(ownerId, words)}`
  return sql`${ofReference} ${metadata === undefined ? sql`` : sql`and ${hasMetadata('d.metadata', metadata)}`} ${ofName}`
}

/** The index `designs_search` contains the account with the words, so that it reads the designs of this account only. */
function hasWords(ownerId: string, words: string): RawBuilder<unknown> {
  return sql`design_search(d.owner_id, d.name) @@ (${`'=${ownerId}'`}::tsquery && search_query(${words}))`
}

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

function selectPage(filter: DesignFilter, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const { ownerId, after, limit } = filter
  return sql`
    select d.id from designs d
    where d.owner_id = ${ownerId} and ${condition} ${conditionsOf(filter)}
      ${after === undefined ? sql`` : sql`and d.id < ${after}`}
    order by d.id desc limit ${limit + 1}::int`
}

/** Approximate bytes of a design as the API shows it. */
function bytesOfDesign(id: RawBuilder<string>): RawBuilder<unknown> {
  return sql`
    select summary.bytes + octet_length(d.document::text) + octet_length(d.preflight::text)
    from designs d, (${bytesOfSummary(id)}) as summary (bytes) where d.id = ${id}`
}

function bytesOfSummary(id: RawBuilder<string>): RawBuilder<unknown> {
  return sql`
    select 2000 + octet_length(d.metadata::text) + coalesce(octet_length(d.last_finalization_error::text), 0)
      + coalesce((
        select 3000 + octet_length(f.files::text) + octet_length(f.warnings::text) + octet_length(f.placeholders::text)
        from finalizations f where f.design_id = d.id
      ), 0)
    from designs d where d.id = ${id}`
}
