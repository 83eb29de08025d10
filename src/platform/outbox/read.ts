import { type RawBuilder, sql } from 'kysely'
import { addSeconds } from '../clock.ts'
import type { Db, Trx } from '../db/index.ts'
import { sizeCutTables } from '../db/reading/size-cut.ts'
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

export interface EventFilter {
  /** The owner of the events; undefined for all owners. */
  ownerId?: string | undefined
  /** The owners of the events, in place of `ownerId`. */
  ownerIds?: readonly string[] | undefined
  type?: string | undefined
  /** Types of events that the reader must not see. */
  hiddenTypes?: readonly string[] | undefined
  /** The id of the record that changed. */
  subject?: string | undefined
  /** Reads only events that were created at this time or later. */
  from?: Date | undefined
  /** Reads only events that were created before this time. */
  to?: Date | undefined
}

export interface EventReading extends EventFilter {
  /** Reads events after this position. Default: from the oldest stored event on. */
  after?: EventPosition | undefined
  limit: number
}

export interface BackwardReading extends EventFilter {
  /** Reads events before this position. Default: from the newest readable event on. */
  before?: EventPosition | undefined
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
export async function readEvents(db: Db | Trx, { after, limit, ...filter }: EventReading): Promise<EventsRead> {
  const { events, isFull, readableBefore } = await selectEvents(db, { filter, after, limit, direction: 'asc' })
  const last = isFull ? events.at(-1)?.at : undefined
  return { events, upTo: last ?? { transactionId: readableBefore, position: 0 }, isFull }
}

/**
 * Reads events as `readEvents` does, but newest first. It begins with the newest event that `readEvents` would return,
 * so that a reader can continue forward from there without missing an event.
 */
export async function readEventsBackward(
  db: Db | Trx,
  { before, limit, ...filter }: BackwardReading,
): Promise<Pick<EventsRead, 'events' | 'isFull'>> {
  return selectEvents(db, { filter, before, limit, direction: 'desc' })
}

interface Selection {
  filter: EventFilter
  after?: EventPosition | undefined
  before?: EventPosition | undefined
  limit: number
  direction: 'asc' | 'desc'
}

interface Selected {
  events: Event[]
  isFull: boolean
  /** Events of this transaction and later ones cannot be read yet. */
  readableBefore: number
}

async function selectEvents(db: Db | Trx, { filter, after, before, limit, direction }: Selection): Promise<Selected> {
  // The few events of one record are found by the record.
  const between = filter.subject === undefined ? await findTimeBounds(db, filter) : {}
  const conditions = [
    sql`e.transaction_id < readable.before`,
    ...conditionsOf(filter),
    ...[after, between.after].flatMap((at) => (at === undefined ? [] : [sql`${PLACE} > ${placeOf(at)}`])),
    ...[before, between.before].flatMap((at) => (at === undefined ? [] : [sql`${PLACE} < ${placeOf(at)}`])),
  ]
  const order = sql.raw(direction)
  const ids = sql`
    select e.id from readable, events e where ${sql.join(conditions, sql` and `)}
    order by e.transaction_id ${order}, e.position ${order} limit ${limit}::int`
  const bytesOf = (id: RawBuilder<string>) => sql`select 300 + octet_length(data::text) from events where id = ${id}`
  // Uses one statement, and therefore one snapshot, so that the result has exactly the events before the end that it
  // states.
  const { rows } = await sql<(Row | NoRow) & { before: number; hasMore: boolean }>`
    with recursive readable as materialized (select events_readable_before() as before),
    ${sizeCutTables({ ids, bytesOf, limit })}
    select found.id, found.type, found."createdAt", found.sequence, found.subject, found."ownerId", found."dataJson",
      found."transactionId", found.position, readable.before::text::bigint as before, cut.has_more as "hasMore"
    from readable cross join cut left join lateral (
      select ${EVENT_COLUMNS} from events e where e.id = any(cut.ids)
    ) found on true
    order by "transactionId" ${order}, position ${order}`.execute(db)
  const events = rows.filter((row) => row.id !== null).map(toEvent)
  const isFull = events.length === limit || rows[0]?.hasMore === true
  return { events, isFull, readableBefore: rows[0]?.before ?? 0 }
}

/** Finds an event that the reader may see, unless it cannot be read yet. */
export async function findEvent(
  db: Db,
  { id, ...visible }: { id: string } & Pick<EventFilter, 'ownerId' | 'hiddenTypes'>,
): Promise<Event | undefined> {
  if (!isEventId(id)) return undefined
  const { rows } = await sql<Row>`
    select ${EVENT_COLUMNS} from events e where ${sql.join(
      [sql`e.id = ${id} and e.transaction_id < events_readable_before()`, ...conditionsOf(visible)],
      sql` and `,
    )}`.execute(db)
  return rows.map(toEvent)[0]
}

const EVENT_COLUMNS = sql`
  e.id, e.type, e.created_at as "createdAt", e.sequence, e.subject, e.owner_id as "ownerId", e.data::text as "dataJson",
  e.transaction_id::text::bigint as "transactionId", e.position`

const PLACE = sql`(e.transaction_id, e.position)`

function placeOf({ transactionId, position }: EventPosition): RawBuilder<unknown> {
  return sql`(${String(transactionId)}::xid8, ${position}::bigint)`
}

function conditionsOf(filter: EventFilter): RawBuilder<unknown>[] {
  const { ownerId, ownerIds, type, hiddenTypes = [], subject, from, to } = filter
  return [
    ...(ownerId === undefined ? [] : [sql`e.owner_id = ${ownerId}`]),
    ...(ownerIds === undefined ? [] : [sql`e.owner_id = any(${ownerIds}::text[])`]),
    ...(type === undefined ? [] : [sql`e.type = ${type}`]),
    ...(hiddenTypes.length === 0 ? [] : [sql`e.type <> all(${hiddenTypes}::text[])`]),
    ...(subject === undefined ? [] : [sql`e.subject = ${subject}`]),
    ...(from === undefined ? [] : [sql`e.created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`e.created_at < ${to}`]),
  ]
}

/**
 * By how much the times of two events may contradict their order. Transactions are far shorter, and the clocks of the
 * machines differ by less.
 */
const DISORDER_SECONDS = 3600

/**
 * Finds positions that no event of a time range is outside of. Events are read in their order, for which times are no
 * index. Without these positions, reading a range would pass over all events before or after it.
 */
async function findTimeBounds(
  db: Db | Trx,
  { from, to }: EventFilter,
): Promise<{ after?: EventPosition; before?: EventPosition }> {
  const [after, before] = await Promise.all([
    from && findByTime(db, sql`created_at < ${addSeconds(from, -DISORDER_SECONDS)} order by created_at desc`),
    to && findByTime(db, sql`created_at >= ${addSeconds(to, DISORDER_SECONDS)} order by created_at`),
  ])
  return { ...(after === undefined ? {} : { after }), ...(before === undefined ? {} : { before }) }
}

async function findByTime(db: Db | Trx, condition: RawBuilder<unknown>): Promise<EventPosition | undefined> {
  const { rows } = await sql<EventPosition>`
    select transaction_id::text::bigint as "transactionId", position from events where ${condition} limit 1`.execute(db)
  return rows[0]
}

function toEvent({ transactionId, position, id, type, createdAt, sequence, subject, ownerId, dataJson }: Row): Event {
  return { id, type, createdAt, sequence, subject, ownerId, dataJson, at: { transactionId, position } }
}

/** Returns the position of a reader that has read all events that are readable now. */
export async function findReadableEnd(db: Db | Trx): Promise<EventPosition> {
  const { rows } = await sql<{ before: number }>`select events_readable_before()::text::bigint as before`.execute(db)
  return { transactionId: rows[0]?.before ?? 0, position: 0 }
}
