import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../db/index.ts'
import { currentTraceparent } from '../telemetry/traceparent.ts'
import { newEventId } from './ids.ts'

export interface EmittedEvent<EventType extends string = string> {
  type: EventType
  /** The id of the record that changed. The events of one subject are numbered without gaps. */
  subject: string
  ownerId: string
  /** The complete state of the subject after the change, in the form of the API. */
  data: object
  at: Date
}

/**
 * Records an event in the transaction of the change, so that both are committed or neither. The caller must hold the
 * row lock of the subject, so that `sequence` has no gaps and the order of the changes.
 *
 * Readers order events by transaction id. A transaction that got its id before it waited for the lock may have a lower
 * id than events that were already read. The event therefore gets at least the highest transaction id of the events of
 * its subject.
 */
export async function emit(trx: Trx, event: EmittedEvent): Promise<void> {
  await insertEvent(event).execute(trx)
}

/**
 * SQL that records an event as `emit` does, for a statement that also makes the change.
 *
 * @param source a `from` clause with one row if the change was made, by default always
 */
export function insertEvent(
  { type, subject, ownerId, data, at }: EmittedEvent,
  source: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  // Plain SQL, because building the query would cost time in every change.
  return sql`
    insert into events (id, type, subject, owner_id, sequence, transaction_id, data, created_at, traceparent)
    select ${newEventId()}, ${type}, ${subject}, ${ownerId},
      greatest(
        (select max(sequence) from events where subject = ${subject}),
        (select last from event_sequences where subject = ${subject}),
        0
      ) + 1,
      greatest(
        event_transaction_id(),
        (select transaction_id from events where subject = ${subject} order by sequence desc limit 1)
      ),
      ${JSON.stringify(data)}::json, ${at}::timestamptz, ${currentTraceparent() ?? null} ${source}`
}

/** The type of `emit` for the event types that a feature declares. */
export type Emit<EventType extends string> = (trx: Trx, event: EmittedEvent<EventType>) => Promise<void>
