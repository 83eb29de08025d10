import { sql } from 'kysely'
import type { Trx } from '../db/index.ts'
import { findCutIds } from '../db/reading/size-cut.ts'
import { MOVED_AT_ONCE } from '../records/move-records.ts'

/** Number of subjects whose events one statement changes. It keeps each statement below the time limit of 30 s. */
const SUBJECTS_AT_ONCE = 50

/** Number of events that are in memory at once. It is small, because the data of one event can have a megabyte. */
const HELD_AT_ONCE = 10

/**
 * Bytes of event data that one transaction reads, apart from one larger event. All readers of events wait for the
 * transaction. The data that it writes can be much shorter, but reading takes the time.
 */
const READ_BYTES = 2 * 1024 * 1024

/**
 * Changes the data of the events of a few subjects, to erase personal data, but not of events that were erased before.
 * The existence, time and order of the events stay, so that readers can continue from their position.
 *
 * @returns whether all events are rewritten. If not, commit, and call this function again
 */
export async function rewriteEvents(
  trx: Trx,
  subjects: readonly string[],
  rewrite: (data: object) => object,
): Promise<boolean> {
  for (let left = READ_BYTES; left > 0; ) {
    // A larger event would exceed what is left, so it is the first of a transaction.
    const least = left === READ_BYTES ? 1 : 0
    const { events, hasMore } = await listPage(trx, subjects, { mostBytes: left, least })
    const texts = events.map(({ text }) => JSON.stringify(rewrite(JSON.parse(text))))
    await sql`
      update events e set data = n.data::json, is_erased = true
      from unnest(${events.map(({ id }) => id)}::text[], ${texts}::text[]) as n (id, data)
      where e.id = n.id`.execute(trx)
    if (!hasMore) return true
    // The next event was too large for what was left.
    if (events.length < HELD_AT_ONCE) return false
    left -= events.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  }
  return false
}

/**
 * Makes the newest events of a user those of another one, up to `MOVED_AT_ONCE`, because all readers of events wait for
 * the transaction. Returns how many were moved.
 */
export async function moveSomeEvents(trx: Trx, from: string, to: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update events set owner_id = ${to}
    where id = any(array(
      select id from events where owner_id = ${from}
      order by transaction_id desc, position desc limit ${MOVED_AT_ONCE}::int for no key update
    ))`.execute(trx)
  return Number(numAffectedRows ?? 0n)
}

/** Replaces the data of these events by the id of the record and a mark. The old data is not read. */
export async function eraseEvents(trx: Trx, subjects: readonly string[]): Promise<void> {
  for (const batch of batchesOf(subjects)) {
    await sql`
      update events set data = json_build_object('id', subject, 'erased', true), is_erased = true
      where subject = any(${batch}::text[])`.execute(trx)
  }
}

interface StoredEvent {
  id: string
  /** The data as JSON. */
  text: string
}

/** Reads the first events that are not erased, up to a number of bytes, but at least `least`. */
async function listPage(
  trx: Trx,
  subjects: readonly string[],
  { mostBytes, least }: { mostBytes: number; least: 0 | 1 },
): Promise<{ events: StoredEvent[]; hasMore: boolean }> {
  const { ids, hasMore } = await findCutIds(trx, {
    ids: sql`
      select id from events where subject = any(${subjects}::text[]) and not is_erased
      order by subject, sequence limit ${HELD_AT_ONCE + 1}`,
    bytesOf: (id) => sql`select octet_length(data::text) from events where id = ${id}`,
    limit: HELD_AT_ONCE,
    mostBytes,
    least,
  })
  const { rows } = await sql<StoredEvent>`
    select id, data::text as text from events where id = any(${ids}::text[])
    order by subject, sequence`.execute(trx)
  return { events: rows, hasMore }
}

function* batchesOf(subjects: readonly string[]): Generator<string[]> {
  for (let start = 0; start < subjects.length; start += SUBJECTS_AT_ONCE) {
    yield subjects.slice(start, start + SUBJECTS_AT_ONCE)
  }
}
