import { sql } from 'kysely'
import type { Trx } from '../db/index.ts'

/** The events of so many subjects are changed by one statement, which has 30 s. */
const SUBJECTS_AT_ONCE = 50

/** Events that are held at once: the data of one may be a megabyte. */
const HELD_AT_ONCE = 10

/**
 * Changes what the events of these subjects tell, where it has to be forgotten. That they happened, when and in which order
 * stays, so that whoever reads events goes on where they were.
 */
export async function rewriteEvents(
  trx: Trx,
  subjects: readonly string[],
  rewrite: (data: object) => object,
): Promise<void> {
  for (const batch of batchesOf(subjects)) {
    let events = await listPage(trx, batch, undefined)
    while (events.length > 0) {
      const ids = events.map(({ id }) => id)
      const texts = events.map(({ data }) => JSON.stringify(rewrite(data)))
      await sql`
        update events e set data = n.data::json, is_erased = true
        from unnest(${ids}::text[], ${texts}::text[]) as n (id, data) where e.id = n.id`.execute(trx)
      events = await listPage(trx, batch, events.at(-1))
    }
  }
}

/** The same, leaving no more than which record it was. Nothing of it is read. */
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
    where subject = any(${subjects}::text[])
      and (subject, sequence) > (${after.subject}::text, ${after.sequence}::int)
    order by subject, sequence limit ${HELD_AT_ONCE}`.execute(trx)
  return rows
}

function* batchesOf(subjects: readonly string[]): Generator<string[]> {
  for (let start = 0; start < subjects.length; start += SUBJECTS_AT_ONCE) {
    yield subjects.slice(start, start + SUBJECTS_AT_ONCE)
  }
}
