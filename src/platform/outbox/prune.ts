import { sql } from 'kysely'
import type { Db } from '../db/index.ts'

/** Time for which events are retained: 30 days. */
export const EVENTS_KEPT_SECONDS = 30 * 24 * 3600

/**
 * Number of events that one statement deletes. It is small, because readers do not see events that are newer than an
 * open transaction.
 */
const DELETED_AT_ONCE = 1_000

/**
 * Deletes events that are older than a time, oldest first. The sequence numbers of their subjects continue. Webhook
 * dispatch and other readers of all events have read these events long before.
 */
export async function pruneEvents(db: Db, before: Date): Promise<void> {
  let deleted = DELETED_AT_ONCE
  while (deleted > 0) {
    // Skips rows that are being rewritten, because waiting for them could cause a deadlock. The next run deletes them.
    const { rows } = await sql<{ deleted: number }>`
      with oldest as (
        select id, created_at from events order by transaction_id, position limit ${DELETED_AT_ONCE}::int
      ), free as (
        select e.id from events e join oldest o on o.id = e.id
        where o.created_at < ${before} for update of e skip locked
      ), pruned as (
        delete from events e using free f where e.id = f.id
        returning e.subject, e.sequence, e.transaction_id
      ), counted as (
        insert into event_sequences (subject, last)
        select subject, max(sequence) from pruned group by subject order by subject
        on conflict (subject) do update set last = greatest(event_sequences.last, excluded.last)
      ), noted as (
        update event_clock set pruned_up_to = greatest(pruned_up_to, newest)
        from (select max(transaction_id) as newest from pruned having count(*) > 0) found
      )
      select count(*)::int as deleted from pruned`.execute(db)
    deleted = rows[0]?.deleted ?? 0
  }
}
