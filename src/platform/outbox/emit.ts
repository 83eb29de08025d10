import { sql } from 'kysely'
import type { Trx } from '../db/index.ts'
import { currentTraceparent } from '../tracing/traceparent.ts'
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
export async function emit(trx: Trx, { type, subject, ownerId, data, at }: EmittedEvent): Promise<void> {
  // Plain SQL, because building the query would cost time in every change.
  await sql`
    insert into events (id, type, subject, owner_id, sequence, transaction_id, data, created_at, traceparent)
    values (${newEventId()}, ${type}, ${subject}, ${ownerId},
      greatest(
        (select max(sequence) from events where subject = ${subject}),
        (select last from event_sequences where subject = ${subject}),
        0
      ) + 1,
      greatest(
        event_transaction_id(),
        (select transaction_id from events where subject = ${subject} order by sequence desc limit 1)
      ),
      ${JSON.stringify(data)}, ${at}, ${currentTraceparent() ?? null})`.execute(trx)
}

/** The type of `emit` for the event types that a feature declares. */
export type Emit<EventType extends string> = (trx: Trx, event: EmittedEvent<EventType>) => Promise<void>
