import { type RawBuilder, sql } from 'kysely'
import { readPacedByCaller } from '../../concurrency/paced-reads.ts'
import { noteSize } from '../../concurrency/request-context.ts'
import { plannedEachTime } from '../connections/preparing-client.ts'
import type { Db } from '../index.ts'

/** Limit for the bytes of JSON in one page of a list. A page with a single record may be larger. */
export const PAGE_BYTES = 2 * 1024 * 1024

/** The ids of one page, in the order of the list. */
export interface CutIds {
  ids: string[]
  /** Whether the list continues after the last of these ids. */
  hasMore: boolean
}

export interface SizeCut {
  /** Selects ids in one column, in the order of the list, with one row more than the page may have. */
  ids: RawBuilder<unknown>
  bytesOf: (id: RawBuilder<string>) => RawBuilder<unknown>
  limit: number
  /** Default: `PAGE_BYTES`. */
  mostBytes?: number
  /** Number of records that the page has even if they are larger: 1, or 0 for a part of another page. Default: 1. */
  least?: 0 | 1
  /** For conditions whose best plan depends on their values. */
  isPlannedEachTime?: boolean
}

/**
 * Builds the common table expression `cut`: one row with the ids of a page that ends before it exceeds `PAGE_BYTES`,
 * or `mostBytes`, and `has_more`. A larger record is a page of its own, unless `least` is 0. PostgreSQL measures the records
 * one by one and stops at the end of the page, so that neither PostgreSQL nor this process reads more than the page.
 *
 * @returns the SQL that follows `with recursive`
 */
export function sizeCutTables({
  ids,
  bytesOf,
  limit,
  mostBytes = PAGE_BYTES,
  least = 1,
}: SizeCut): RawBuilder<unknown> {
  const nextId = sql<string>`candidates.ids[measured.n + 1]`
  return sql`
    candidates as materialized (select array(${ids}) as ids),
    measured (n, bytes) as (
      select 0, 0::bigint
      union all
      select measured.n + 1, measured.bytes + coalesce(size.bytes, 0)
      from measured cross join candidates
        left join lateral (select bytes from (${bytesOf(nextId)}) as of_record (bytes)) size on true
      where measured.n < least(${limit}::int, cardinality(candidates.ids)) and measured.bytes <= ${mostBytes}::bigint
    ),
    cut as materialized (
      select candidates.ids[1:shown.n] as ids, cardinality(candidates.ids) > shown.n as has_more
      from candidates, (
        select greatest(${sql.lit(least)}, max(n) filter (where bytes <= ${mostBytes}::bigint)) as n from measured
      ) shown
    )`
}

/** Finds the ids of a page; see `sizeCutTables`. The caller then reads the records by these ids. */
export async function findCutIds(db: Db, cut: SizeCut): Promise<CutIds> {
  const { rows } = await sql<{
    ids: string[]
    has_more: boolean
  }>`${cut.isPlannedEachTime === true ? plannedEachTime : sql``}
    with recursive ${sizeCutTables(cut)} select ids, has_more from cut`.execute(db)
  const [row] = rows
  return { ids: row?.ids ?? [], hasMore: row?.has_more === true }
}

/** Records of one page that ends by number or by size. */
export interface CutRows<Row> {
  rows: Row[]
  /** The id after which the next page starts. Undefined on the last page. */
  nextAfter: string | undefined
}

/**
 * Reads the records of a page by the ids that `findCutIds` found.
 *
 * @param read returns the records with these ids, in the order of the list
 */
export async function readCutRows<Row>(
  db: Db,
  cut: SizeCut,
  read: (ids: string[]) => Promise<Row[]>,
): Promise<CutRows<Row>> {
  return readPacedByCaller(async () => {
    const { ids, hasMore } = await findCutIds(db, cut)
    if (hasMore && ids.length < cut.limit) noteSize(PAGE_BYTES)
    const rows = ids.length === 0 ? [] : await read(ids)
    return { rows, nextAfter: hasMore ? ids.at(-1) : undefined }
  })
}
