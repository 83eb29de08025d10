import { sql } from 'kysely'
import type { Db } from '../db/index.ts'

/** Few, because readers do not see what is newer than an open transaction. */
const DELETED_AT_ONCE = 1_000

/**
 * Deletes events from before a moment, the oldest first. How far their subjects were counted stays. Whoever has to
 * read every event, such as what sends webhooks, has done so long before.
 */
export async function pruneEvents(db: Db, before: Date): Promise<void> {
  let deleted = DELETED_AT_ONCE
  while (deleted > 0) {
    // Rows that are being rewritten are left to the next run: waiting for them could be a deadlock.
    const { rows } = await sql<{ deleted: number }>`
      with oldest as (
        select transaction_id, position, created_at from events
        order by transaction_id, position limit ${DELETED_AT_ONCE}::int for update skip locked
      ), pruned as (
        delete from events e using oldest o
        where e.transaction_id = o.transaction_id and e.position = o.position and o.created_at < ${before}
        returning e.subject, e.sequence
      ), counted as (
        insert into event_sequences (subject, last)
        select subject, max(sequence) from pruned group by subject order by subject
        on conflict (subject) do update set last = greatest(event_sequences.last, excluded.last)
      )
      select count(*)::int as deleted from pruned`.execute(db)
    deleted = rows[0]?.deleted ?? 0
  }
}
