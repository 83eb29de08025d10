import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../db/index.ts'
import { sizeCutTables } from '../db/size-cut.ts'
import { isEventId } from './ids.ts'

export interface Event {
  id: string
  type: string
  createdAt: Date
  sequence: number
  subject: string
  ownerId: string
  /** The stored JSON text, which responses contain unchanged. It is not parsed, because it can have a megabyte. */
  dataJson: string
  /** The position of the event in the reading order. */
  at: EventPosition
}

/**
 * A position in the reading order of events: first by the id of the writing transaction, then by the order within the
 * transaction. Position 0 comes before all events of a transaction.
 */
export interface EventPosition {
  transactionId: number
  position: number
}

/** Returns a negative number if `a` comes before `b`, and 0 for equal positions. */
export function comparePositions(a: EventPosition, b: EventPosition): number {
  return a.transactionId - b.transactionId || a.position - b.position
}

/** Formats an event in the form of `GET /events`, the event stream and webhooks: JSON text on one line. */
export function eventJson({ id, type, createdAt, sequence, subject, dataJson }: Omit<Event, 'ownerId' | 'at'>): string {
  const head = JSON.stringify({ id, type, createdAt: createdAt.toISOString(), sequence, subject })
  return `${head.slice(0, -1)},"data":${dataJson}}`
}

/**
 * Finds the position of an event. Returns undefined for an unknown event, and for an event of another owner than
 * `ownerId`.
 */
export async function findEventPosition(
  db: Db,
  { id, ownerId }: { id: string; ownerId: string | undefined },
): Promise<EventPosition | undefined> {
  if (!isEventId(id)) return undefined
  let query = db.selectFrom('events').select([TRANSACTION_ID, 'position']).where('id', '=', id)
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId)
  return query.executeTakeFirst()
}

/**
 * Finds the id of the last event at or before a position, in the reading order. Returns undefined if no stored event of
 * the owner is there. @param ownerId undefined for all owners
 */
export async function findLastEventId(
  db: Db,
  { ownerId, upTo }: { ownerId: string | undefined; upTo: EventPosition },
): Promise<string | undefined> {
  const { transactionId, position } = upTo
  let query = db
    .selectFrom('events')
    .select('id')
    .where(sql<boolean>`(transaction_id, position) <= (${String(transactionId)}::xid8, ${position}::bigint)`)
    .orderBy('transaction_id', 'desc')
    .orderBy('position', 'desc')
    .limit(1)
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId)
  return (await query.executeTakeFirst())?.id
}

const TRANSACTION_ID = sql<number>`transaction_id::text::bigint`.as('transactionId')

export interface EventReading {
  /** The owner of the events; undefined for all owners. */
  ownerId?: string | undefined
  type?: string | undefined
  /** Reads events after this position. Default: from the oldest stored event on. */
  after?: EventPosition | undefined
  limit: number
}

export interface EventsRead {
  events: Event[]
  /**
   * The position from which to continue. All events up to this position were read, or skipped because of owner or type.
   */
  upTo: EventPosition
  /** Whether more events may be readable immediately. */
  isFull: boolean
}

type Row = Omit<Event, 'at'> & EventPosition
type NoRow = { [Column in keyof Row]: null }

/**
 * Reads at most `limit` events and about `PAGE_BYTES`, in the order of the transactions that wrote them. Reading stops
 * before the oldest open transaction, because its events will be ordered before later transactions. A reader that had
 * passed their position would never see them.
 */
export async function readEvents(db: Db | Trx, { ownerId, type, after, limit }: EventReading): Promise<EventsRead> {
  const conditions = [sql`e.transaction_id < readable.before`]
  if (ownerId !== undefined) conditions.push(sql`e.owner_id = ${ownerId}`)
  if (type !== undefined) conditions.push(sql`e.type = ${type}`)
  if (after !== undefined) {
    const { transactionId, position } = after
    conditions.push(sql`(e.transaction_id, e.position) > (${String(transactionId)}::xid8, ${position}::bigint)`)
  }
  const ids = sql`
    select e.id from readable, events e where ${sql.join(conditions, sql` and `)}
    order by e.transaction_id, e.position limit ${limit}::int`
  const bytesOf = (id: RawBuilder<string>) => sql`select 300 + octet_length(data::text) from events where id = ${id}`
  // Uses one statement, and therefore one snapshot, so that the result has exactly the events before the end that it
  // states.
  const { rows } = await sql<(Row | NoRow) & { before: number; hasMore: boolean }>`
    with recursive readable as materialized (select events_readable_before() as before),
    ${sizeCutTables({ ids, bytesOf, limit })}
    select found.id, found.type, found."createdAt", found.sequence, found.subject, found."ownerId", found."dataJson",
      found."transactionId", found.position, readable.before::text::bigint as before, cut.has_more as "hasMore"
    from readable cross join cut left join lateral (
      select e.id, e.type, e.created_at as "createdAt", e.sequence, e.subject, e.owner_id as "ownerId", e.data::text as "dataJson",
        e.transaction_id::text::bigint as "transactionId", e.position
      from events e where e.id = any(cut.ids)
    ) found on true
    order by "transactionId", position`.execute(db)
  const events = rows.filter((row) => row.id !== null).map(toEvent)
  const isFull = events.length === limit || rows[0]?.hasMore === true
  const last = isFull ? events.at(-1)?.at : undefined
  return { events, upTo: last ?? { transactionId: rows[0]?.before ?? 0, position: 0 }, isFull }
}

function toEvent({ transactionId, position, id, type, createdAt, sequence, subject, ownerId, dataJson }: Row): Event {
  return { id, type, createdAt, sequence, subject, ownerId, dataJson, at: { transactionId, position } }
}

/** Returns the position of a reader that has read all events that are readable now. */
export async function findReadableEnd(db: Db | Trx): Promise<EventPosition> {
  const { rows } = await sql<{ before: number }>`select events_readable_before()::text::bigint as before`.execute(db)
  return { transactionId: rows[0]?.before ?? 0, position: 0 }
}
