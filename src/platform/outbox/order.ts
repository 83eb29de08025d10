import { sql } from 'kysely'
import type { Db, Trx } from '../db/index.ts'
import type { Log } from '../telemetry/log.ts'

/**
 * Ensures that new events sort after all existing ones. If a database was restored on a server with fewer transactions,
 * new events would otherwise have lower transaction ids than existing ones, and readers would miss them. Call this
 * function at every start, before anything is written.
 */
export async function keepOrderOfEvents(db: Db, log: Log): Promise<void> {
  if (!(await isFromAnotherServer(db))) return
  await db.transaction().execute(async (trx) => {
    // The lock prevents new events until the change commits. If several processes start, only one makes the change.
    await sql`lock table events in share row exclusive mode`.execute(trx)
    if (!(await isFromAnotherServer(trx))) return
    await sql`
      update event_clock set transactions_ahead =
        ${NEWEST}::text::bigint + 1 - pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    `.execute(trx)
    log.warn('the database was restored from another server; new events are ordered after the restored ones')
  })
}

/** Selects the transaction id of the newest event ever written, in the numbering of the database. */
const NEWEST = sql`greatest((select max(transaction_id) from events), pruned_up_to)`

/** Tells whether an event has the id of a transaction that this server has not started yet. */
async function isFromAnotherServer(db: Db | Trx): Promise<boolean> {
  const { rows } = await sql<{ isAhead: boolean }>`
    select ${NEWEST}::text::bigint
      >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + transactions_ahead as "isAhead" from event_clock`.execute(
    db,
  )
  return rows[0]?.isAhead === true
}
