import { sql } from 'kysely'
import type { Trx } from '../db/index.ts'
import { newEventId } from './ids.ts'

export interface EmittedEvent<EventType extends string = string> {
  type: EventType
  /** Id of the record the event is about; events of one subject are numbered without gaps. */
  subject: string
  ownerId: string
  /** The full state of the subject after the change, as the API shows it. */
  data: object
  at: Date
}

/**
 * Records a fact in the transaction that makes it true: either both are kept or neither.
 * The caller holds the subject's row lock, which keeps `sequence` free of gaps and in the order of the changes.
 *
 * Readers go by the transactions' ids. That of a transaction which had its id before it waited for the lock may be lower
 * than those of events that are told already by then: its event goes by the highest of the subject.
 */
export async function emit(trx: Trx, { type, subject, ownerId, data, at }: EmittedEvent): Promise<void> {
  // Text, not built: it is part of every change.
  await sql`
    insert into events (id, type, subject, owner_id, sequence, transaction_id, data, created_at)
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
      ${JSON.stringify(data)}, ${at})`.execute(trx)
}

/** `emit` for the event types that a feature declares. */
export type Emit<EventType extends string> = (trx: Trx, event: EmittedEvent<EventType>) => Promise<void>
