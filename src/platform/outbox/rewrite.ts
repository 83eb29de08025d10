import { sql } from 'kysely'
import type { Trx } from '../db/index.ts'

/** Number of subjects whose events one statement changes. It keeps each statement below the time limit of 30 s. */
const SUBJECTS_AT_ONCE = 50

/** Number of events that are in memory at once. It is small, because the data of one event can have a megabyte. */
const HELD_AT_ONCE = 10

/**
 * Bytes of event data that one transaction rewrites, and one page more. All readers of events wait for the transaction.
 */
const REWRITTEN_BYTES = 2 * 1024 * 1024

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
  let bytes = 0
  let events = await listPage(trx, subjects)
  while (events.length > 0) {
    const ids = events.map(({ id }) => id)
    const texts = events.map(({ data }) => JSON.stringify(rewrite(data)))
    await sql`
      update events e set data = n.data::json, is_erased = true
      from unnest(${ids}::text[], ${texts}::text[]) as n (id, data) where e.id = n.id`.execute(trx)
    if (events.length < HELD_AT_ONCE) return true
    bytes += texts.reduce((sum, text) => sum + text.length, 0)
    if (bytes > REWRITTEN_BYTES) return false
    events = await listPage(trx, subjects, events.at(-1))
  }
  return true
}

/** Makes all events of a user those of another one. Returns how many there were. */
export async function moveEvents(trx: Trx, from: string, to: string): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('events')
    .set({ owner_id: to })
    .where('owner_id', '=', from)
    .executeTakeFirst()
  return Number(numUpdatedRows)
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
  subject: string
  sequence: number
  data: object
}

async function listPage(
  trx: Trx,
  subjects: readonly string[],
  after: Pick<StoredEvent, 'subject' | 'sequence'> = { subject: '', sequence: 0 },
): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select id, subject, sequence, data from events
    where subject = any(${subjects}::text[]) and not is_erased
      and (subject, sequence) > (${after.subject}::text, ${after.sequence}::int)
    order by subject, sequence limit ${HELD_AT_ONCE}`.execute(trx)
  return rows
}

function* batchesOf(subjects: readonly string[]): Generator<string[]> {
  for (let start = 0; start < subjects.length; start += SUBJECTS_AT_ONCE) {
    yield subjects.slice(start, start + SUBJECTS_AT_ONCE)
  }
}
