import { sql } from 'kysely'
import type { Trx } from './db/index.ts'
import { newId } from './ids.ts'

/** Every kind of change that clients can follow. */
export const EVENT_TYPES = [
  'design.finalized',
  'design.archived',
  'order.created',
  'order.confirmed',
  'order.on_hold',
  'order.in_production',
  'order.shipped',
  'order.delivered',
  'order.cancelled',
  'payment.captured',
  'payment.failed',
  'payment.refunded',
  'shipment.created',
  'shipment.delivered',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export interface EmittedEvent {
  type: EventType
  /** Id of the record the event is about; events of one subject are numbered without gaps. */
  subject: string
  /** The user whose event it is. */
  ownerId: string
  /** The full state of the subject after the change, as the API shows it. */
  data: object
  at: Date
}

/**
 * Records a fact in the transaction that makes it true: either both are kept or neither.
 * The caller holds the subject's row lock, which keeps `sequence` free of gaps and in the order of the changes.
 */
export async function emit(trx: Trx, event: EmittedEvent): Promise<void> {
  await trx
    .insertInto('events')
    .values(({ selectFrom, fn, val, lit }) => ({
      id: newId('event'),
      type: event.type,
      subject: event.subject,
      owner_id: event.ownerId,
      sequence: selectFrom('events')
        .where('subject', '=', event.subject)
        .select(({ eb }) => eb(fn.coalesce(fn.max<number>('sequence'), lit(0)), '+', lit(1)).as('next')),
      data: val(JSON.stringify(event.data)),
      created_at: event.at,
    }))
    .execute()
}

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
        update events e set data = n.data::json
        from unnest(${ids}::text[], ${texts}::text[]) as n (id, data) where e.id = n.id`.execute(trx)
      events = await listPage(trx, batch, events.at(-1))
    }
  }
}

/** The same, leaving no more than which record it was. Nothing of it is read. */
export async function eraseEvents(trx: Trx, subjects: readonly string[]): Promise<void> {
  for (const batch of batchesOf(subjects)) {
    await sql`
      update events set data = json_build_object('id', subject, 'erased', true)
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
