import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../db/index.ts'

/**
 * Number of records that one transaction moves to another user. Each can have some hundred entries in indexes, and all
 * readers of events wait for the transaction.
 */
export const MOVED_AT_ONCE = 50

type MovedTable = 'designs' | 'orders'

export interface Moving {
  from: string
  to: string
}

/**
 * Moves the newest records of a user to another one, up to `MOVED_AT_ONCE`. A record loses the external reference that
 * the other user already has.
 *
 * @param only a condition for the records to move
 * @returns how many were moved
 */
export async function moveSomeRecords(
  trx: Trx,
  table: MovedTable,
  { from, to }: Moving,
  only: RawBuilder<unknown> = sql`true`,
): Promise<number> {
  // An array, because PostgreSQL could otherwise run the query with the limit once for each record.
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} moved set owner_id = ${to}, external_reference = case when not exists (
      select from ${sql.table(table)} kept
      where kept.owner_id = ${to} and kept.external_reference = moved.external_reference
    ) then moved.external_reference end
    where id = any(array(
      select id from ${sql.table(table)} where owner_id = ${from} and ${only}
      order by id desc limit ${MOVED_AT_ONCE}::int for no key update
    ))`.execute(trx)
  return Number(numAffectedRows ?? 0n)
}

export async function countRecordsOf(trx: Trx, table: MovedTable, ownerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} where owner_id = ${ownerId}`.execute(trx)
  return rows[0]?.count ?? 0
}
