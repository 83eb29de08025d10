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
  /** JSON text, as it is stored and as responses repeat it: it may be a megabyte, and is not parsed. */
  dataJson: string
  /** Where it stands in the order in which events are read. */
  at: EventPosition
}

/**
 * A place in the order in which events are read: that of the writing transactions, and within one that of writing.
 * Position 0 is the place before all events of a transaction.
 */
export interface EventPosition {
  transactionId: number
  position: number
}

/** Negative when `a` stands before `b`, 0 for the same place. */
export function comparePositions(a: EventPosition, b: EventPosition): number {
  return a.transactionId - b.transactionId || a.position - b.position
}

/** An event as `GET /events`, the stream of events and webhooks show it: JSON text on one line. */
export function eventJson({ id, type, createdAt, sequence, subject, dataJson }: Omit<Event, 'ownerId' | 'at'>): string {
  const head = JSON.stringify({ id, type, createdAt: createdAt.toISOString(), sequence, subject })
  return `${head.slice(0, -1)},"data":${dataJson}}`
}

/** Where an event stands; undefined for an unknown one, or one of somebody else than `ownerId`. */
export async function findEventPosition(
  db: Db,
  { id, ownerId }: { id: string; ownerId: string | undefined },
): Promise<EventPosition | undefined> {
  if (!isEventId(id)) return undefined
  let query = db.selectFrom('events').select([TRANSACTION_ID, 'position']).where('id', '=', id)
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId)
  return query.executeTakeFirst()
}

const TRANSACTION_ID = sql<number>`transaction_id::text::bigint`.as('transactionId')

export interface EventReading {
  /** Whose events; undefined for everybody's. */
  ownerId?: string | undefined
  type?: string | undefined
  /** Left out: from the oldest that is kept. */
  after?: EventPosition | undefined
  limit: number
}

export interface EventsRead {
  events: Event[]
  /** Everything up to here was read, that of other owners and types passed over: the place to go on from. */
  upTo: EventPosition
  /** There may be more to read at once. */
  isFull: boolean
}

type Row = Omit<Event, 'at'> & EventPosition
type NoRow = { [Column in keyof Row]: null }

/**
 * Reads on, at most `limit` events and about `PAGE_BYTES` of them, in the order of the transactions that wrote them. It stops before the oldest
 * transaction that is still open: its events will stand there, and a reader that had passed the place would never see
 * them.
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
  // One statement has one snapshot: what is read is exactly what stands before the end that is told with it.
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

/** Where readers are who have read everything that can be read at this moment. */
export async function findReadableEnd(db: Db | Trx): Promise<EventPosition> {
  const { rows } = await sql<{ before: number }>`select events_readable_before()::text::bigint as before`.execute(db)
  return { transactionId: rows[0]?.before ?? 0, position: 0 }
}
