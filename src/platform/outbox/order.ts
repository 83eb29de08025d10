import { sql } from 'kysely'
import type { Db, Trx } from '../db/index.ts'
import type { Log } from '../log.ts'

/**
 * Makes new events stand behind all that are there, also when the database was restored on a server that has counted
 * fewer transactions than the one it comes from: its readers would otherwise wait for numbers that come in months, and
 * pass over what is new. To be called before anything is written, at every start.
 */
export async function keepOrderOfEvents(db: Db, log: Log): Promise<void> {
  if (!(await isFromAnotherServer(db))) return
  await db.transaction().execute(async (trx) => {
    // Nobody writes events meanwhile, and of several processes one does this.
    await sql`lock table events in share row exclusive mode`.execute(trx)
    if (!(await isFromAnotherServer(trx))) return
    await sql`
      update event_clock set transactions_ahead =
        ${NEWEST}::text::bigint + 1 - pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    `.execute(trx)
    log.warn('the database comes from another server: new events are placed behind those that were restored')
  })
}

/** The transaction of the newest event there ever was, in the database's own count. */
const NEWEST = sql`greatest((select max(transaction_id) from events), pruned_up_to)`

/** Whether an event was written by a transaction that this server has not begun yet. */
async function isFromAnotherServer(db: Db | Trx): Promise<boolean> {
  const { rows } = await sql<{ isAhead: boolean }>`
    select ${NEWEST}::text::bigint
      >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + transactions_ahead as "isAhead" from event_clock`.execute(
    db,
  )
  return rows[0]?.isAhead === true
}
