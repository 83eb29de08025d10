import { type RawBuilder, sql } from 'kysely'
import { type Db, plannedEachTime, type Trx } from '../../platform/db/index.ts'
import { type CutRows, readCutRows } from '../../platform/db/reading/size-cut.ts'
import { eventJson } from '../../platform/outbox/index.ts'
import { type HiddenEvents, isHiddenFrom, OWNER_ROLE } from '../hidden-events.ts'
import { firstIdAt, isId, newId } from '../ids.ts'
import type { Attempt } from './attempt.ts'

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Type of test events. `GET /events` does not list them. */
export const TEST_EVENT_TYPE = 'webhook.test'

export interface Delivery {
  id: string
  eventId: string
  eventType: string
  status: DeliveryStatus
  attempts: Attempt[]
  nextAttemptAt: Date | null
  createdAt: Date
  /** The body of the request. Undefined if the event is no longer retained, or if the body is too long for the list. */
  body: string | undefined
  /** Whether the owner of the endpoint may see the event and it was not erased. */
  isShown: boolean
}

/**
 * The columns of the event of a delivery, which are null if the event is no longer retained. `data` is JSON text and
 * not parsed, because it may have a megabyte.
 */
export interface EventColumns {
  type: string | null
  eventCreatedAt: Date | null
  sequence: number | null
  eventSubject: string | null
  data: string | null
  payload: string | null
}

/**
 * Returns the body of the request: the event in the form in which `GET /events` returns it. Returns undefined if the
 * event is no longer retained.
 */
export function bodyOf(eventId: string, columns: EventColumns): string | undefined {
  const { type, eventCreatedAt, sequence, eventSubject, data, payload } = columns
  if (payload !== null) return payload
  if (type === null || eventCreatedAt === null || sequence === null || eventSubject === null || data === null) {
    return undefined
  }
  const event = { id: eventId, type: type, createdAt: eventCreatedAt, sequence, subject: eventSubject }
  return eventJson({ ...event, dataJson: data })
}

export interface NewDelivery {
  endpointId: string
  eventId: string
  eventType: string
  /** Id of the record that the event is about. The deliveries of one subject are sent in order. */
  subject: string
  /** Of the owner of the event (`networkOfShare`). Undefined for deliveries that the owner of the endpoint requested. */
  share?: string
  /** The whole event, if the table of events does not contain it, as for test events. */
  payload?: object
}

/** A time before all others, at which deliveries become due that a user requested. */
export const AT_ONCE = new Date(0)

/**
 * Adds deliveries in the order in which they must be sent. Within an endpoint, shares take turns, so that one share with
 * many subjects delays the others by one subject each.
 *
 * @returns the ids of the deliveries
 */
export async function insertDeliveries(
  trx: Trx,
  deliveries: readonly NewDelivery[],
  at: Date,
  dueAt = at,
): Promise<string[]> {
  if (deliveries.length === 0) return []
  const ids = deliveries.map(() => newId('delivery'))
  // The rows of the queues are inserted first, which locks them. A worker that records results for the same queues then
  // waits for this transaction and sees its deliveries, so it removes no queue that is about to get deliveries.
  // The turns are read once for each endpoint and share. Where a receiver is fast, the index holds many dead rows, which
  // each of these reads passes.
  await sql`${plannedEachTime}
    with new as materialized (
      select endpoint_id, subject, min(share) as share, min(place) as place
      from unnest(${deliveries.map(({ endpointId }) => endpointId)}::text[],
        ${deliveries.map(({ subject }) => subject)}::text[],
        ${deliveries.map(({ share }) => share ?? null)}::text[]) with ordinality as new (endpoint_id, subject, share, place)
      group by endpoint_id, subject
    ), first_turns as materialized (
      select endpoint_id, (
          select turn from webhook_queues q where q.endpoint_id = e.endpoint_id order by turn limit 1
        ) as turn
      from (select distinct endpoint_id from new) e
    ), next_turns as materialized (
      select endpoint_id, share, (
          select turn + 1 from webhook_queues q where q.endpoint_id = s.endpoint_id and q.share = s.share
          order by turn desc limit 1
        ) as turn
      from (select distinct endpoint_id, share from new where share is not null) s
    )
    insert into webhook_queues (endpoint_id, subject, share, turn, due_at)
    select endpoint_id, subject, share, greatest(n.turn, f.turn, 0)
        + row_number() over (partition by endpoint_id, share order by place) - 1, ${dueAt}::timestamptz
    from new join first_turns f using (endpoint_id) left join next_turns n using (endpoint_id, share)
    order by endpoint_id, subject
    on conflict (endpoint_id, subject) do update set subject = excluded.subject where false`.execute(trx)
  await sql`
    insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, payload, status, created_at)
    select id, endpoint_id, event_id, event_type, subject, payload::json, 'pending', ${at}::timestamptz
    from unnest(${ids}::text[],
      ${deliveries.map(({ endpointId }) => endpointId)}::text[],
      ${deliveries.map(({ eventId }) => eventId)}::text[],
      ${deliveries.map(({ eventType }) => eventType)}::text[],
      ${deliveries.map(({ subject }) => subject)}::text[],
      ${deliveries.map(({ payload }) => (payload === undefined ? null : JSON.stringify(payload)))}::text[])
      with ordinality as new (id, endpoint_id, event_id, event_type, subject, payload, place)
    order by place`.execute(trx)
  return ids
}

/** Maximum size of a request body in a list. Longer bodies are omitted. */
const LISTED_BODY_BYTES = 16_384

type DeliveryRow = Omit<Delivery, 'body'> & EventColumns

const COLUMNS = sql`d.id, d.event_id as "eventId", d.event_type as "eventType", d.status, d.attempts,
  d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt", d.payload::text as payload,
  e.type, e.created_at as "eventCreatedAt", e.sequence, e.subject as "eventSubject",
  d.payload is not null or coalesce(not e.is_erased, false) as "isShown"`

/**
 * Joins the event of a delivery if the owner of the endpoint may see it. The owner may have lost a role after the event
 * was sent.
 */
const visibleEvent = (hidden: HiddenEvents) => sql`
  join webhook_endpoints w on w.id = d.endpoint_id join users u on u.id = w.owner_id
  left join events e on e.id = d.event_id and (e.owner_id = w.owner_id or u.role <> 'customer')
    and not ${isHiddenFrom(OWNER_ROLE, hidden)}`

interface DeliveryListing {
  endpointId: string
  status: DeliveryStatus | undefined
  after: string | undefined
  limit: number
  hiddenEvents: HiddenEvents
}

/** Lists the deliveries of an endpoint, newest first. The page is limited by number and by size. */
export function listDeliveries(
  db: Db,
  { endpointId, status, after, limit, hiddenEvents }: DeliveryListing,
): Promise<CutRows<Delivery>> {
  const statuses = status === undefined ? DELIVERY_STATUSES : [status]
  // Each status has an index scan of its own. A single scan for a rare status would read all other deliveries, too.
  const ids = sql`
    select found.id from unnest(${[...statuses]}::text[]) as wanted (status)
    cross join lateral (
      select id from webhook_deliveries
      where endpoint_id = ${endpointId} and status = wanted.status ${after === undefined ? sql`` : sql`and id < ${after}`}
      order by id desc limit ${limit + 1}::int
    ) found
    order by found.id desc limit ${limit + 1}::int`
  const bytesOf = (id: RawBuilder<string>) => sql`
    select 1500 + octet_length(d.attempts::text) + coalesce(octet_length(d.payload::text), 0)
      + coalesce((select case when octet_length(e.data::text) <= ${LISTED_BODY_BYTES} then octet_length(e.data::text) end
        from events e where e.id = d.event_id), 0)
    from webhook_deliveries d where d.id = ${id}`
  return readCutRows(db, { ids, bytesOf, limit }, async (page) => {
    const { rows } = await sql<DeliveryRow>`
      select ${COLUMNS}, case when octet_length(e.data::text) <= ${LISTED_BODY_BYTES} then e.data::text end as data
      from webhook_deliveries d ${visibleEvent(hiddenEvents)}
      where d.id = any(${page}::text[])
      order by d.id desc`.execute(db)
    return rows.map(toDelivery)
  })
}

export async function findDelivery(
  db: Db | Trx,
  { id, endpointId }: { id: string; endpointId: string },
  hiddenEvents: HiddenEvents,
): Promise<Delivery | undefined> {
  if (!isId('delivery', id)) return undefined
  const { rows } = await sql<DeliveryRow>`
    select ${COLUMNS}, e.data::text as data from webhook_deliveries d ${visibleEvent(hiddenEvents)}
    where d.id = ${id} and d.endpoint_id = ${endpointId}`.execute(db)
  return rows[0] && toDelivery(rows[0])
}

function toDelivery(row: DeliveryRow): Delivery {
  const { id, eventId, eventType, status, attempts, nextAttemptAt, createdAt, isShown } = row
  return { id, eventId, eventType, status, attempts, nextAttemptAt, createdAt, isShown, body: bodyOf(eventId, row) }
}

export async function hasEvent(trx: Trx, id: string): Promise<boolean> {
  return (await trx.selectFrom('events').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

/**
 * Makes a delivery due at once. If it was delivered or had failed, its retry schedule starts again. An attempt that is
 * running continues.
 */
export async function makeDue(trx: Trx, { id, endpointId }: { id: string; endpointId: string }): Promise<void> {
  // All transactions lock a queue before its deliveries, so that no two of them deadlock.
  await sql`
    insert into webhook_queues (endpoint_id, subject, due_at)
    select endpoint_id, subject, ${AT_ONCE}::timestamptz from webhook_deliveries where id = ${id} and endpoint_id = ${endpointId}
    on conflict (endpoint_id, subject) do update set due_at = excluded.due_at
      where webhook_queues.lease_token is null`.execute(trx)
  await sql`
    update webhook_deliveries set status = 'pending', next_attempt_at = null,
      tries = case when status = 'pending' then tries else 0 end
    where id = ${id} and endpoint_id = ${endpointId}`.execute(trx)
}

/**
 * Counts the pending deliveries of an endpoint, up to a limit. If the owner is a customer, it counts those of all
 * endpoints of the customer, including deleted endpoints whose deliveries are not deleted yet.
 */
export async function countPending(trx: Trx, endpointId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from webhook_endpoints asked join users u on u.id = asked.owner_id
      join webhook_endpoints w on w.id = asked.id or (u.role = 'customer' and w.owner_id = asked.owner_id)
      join webhook_deliveries d on d.endpoint_id = w.id and d.status = 'pending'
      where asked.id = ${endpointId} limit ${limit}::int
    ) counted`.execute(trx)
  return rows[0]?.count ?? 0
}

interface ReplayedRange {
  endpointId: string
  from: Date
  to: Date
  limit: number
  hiddenEvents: HiddenEvents
}

/**
 * Lists past events within a time range, oldest first. It lists the events of the types to which the endpoint
 * subscribes. Events that the fan-out has not handled yet are excluded, because they will be delivered anyway.
 */
export async function listReplayed(
  trx: Trx,
  { endpointId, from, to, limit, hiddenEvents }: ReplayedRange,
): Promise<Omit<NewDelivery, 'endpointId'>[]> {
  const columns = sql`e.id, e.type, e.subject, e.transaction_id, e.position`
  const inRange = sql`e.created_at >= ${from} and e.created_at <= ${to}
    and (w.types is null or e.type = any(w.types))
    -- Only events that the fan-out has handled. It will deliver the later ones anyway.
    and ((e.transaction_id, e.position) <= (w.since_transaction_id, w.since_position)
      or e.position = any(w.since_seen)
      or (e.transaction_id, e.position) <= (coalesce(w.behind_transaction_id, c.transaction_id),
        coalesce(w.behind_position, c.position)))
    order by e.created_at limit ${limit}::int`
  const { rows } = await sql<Omit<NewDelivery, 'endpointId'>>`
    select e.id as "eventId", e.type as "eventType", e.subject
    from webhook_endpoints w join users u on u.id = w.owner_id cross join webhook_cursor c
    cross join lateral (
      -- Two queries, because each role needs another index.
      (select ${columns} from events e where u.role = 'customer' and e.owner_id = w.owner_id and ${inRange})
      union all
      (select ${columns} from events e where u.role <> 'customer' and not ${isHiddenFrom(OWNER_ROLE, hiddenEvents)} and ${inRange})
    ) e
    where w.id = ${endpointId}
    order by e.transaction_id, e.position limit ${limit}::int`.execute(trx)
  return rows
}

/** Number of delivered and number of failed deliveries that each endpoint of a customer retains. */
export const CUSTOMER_LOG_LENGTH = 1_000
/** The same of a new customer (`noteNewcomer`), because a client may register any number of them. */
export const NEWCOMER_LOG_LENGTH = 100

/**
 * Deletes more deliveries at a time than one batch of results adds, so that a log with too many entries becomes
 * shorter.
 */
const PRUNED_AT_ONCE = 500

/**
 * Deletes the oldest delivered and failed deliveries of these endpoints beyond what they may retain. Without this limit,
 * a customer could fill the disk with replays, because storage quotas do not count deliveries.
 */
export async function pruneEnded(trx: Trx, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length === 0) return
  // Rows that another transaction has locked are skipped, because waiting for them could deadlock.
  await sql`${plannedEachTime}
    delete from webhook_deliveries where id in (
      select d.id from unnest(${[...endpointIds]}::text[]) as ending (endpoint_id)
      join webhook_endpoints w on w.id = ending.endpoint_id left join newcomers n on n.user_id = w.owner_id
      cross join unnest(array['delivered', 'failed']) as ended (status)
      cross join lateral (
        select id from webhook_deliveries
        where endpoint_id = ending.endpoint_id and status = ended.status
        order by id desc offset case when n.user_id is null then ${CUSTOMER_LOG_LENGTH}::int else ${NEWCOMER_LOG_LENGTH}::int end limit ${PRUNED_AT_ONCE}::int
      ) old
      join webhook_deliveries d on d.id = old.id and d.status = ended.status
      for update of d skip locked
    )`.execute(trx)
}

const DELETED_AT_ONCE = 2_000

export async function pruneDeliveries(db: Db, before: Date): Promise<void> {
  await inBatches(
    db,
    sql`
    select id, endpoint_id, subject from webhook_deliveries where id < ${firstIdAt('delivery', before)} order by id`,
  )
}

/** Deletes the rows of deleted endpoints: first their deliveries in batches, then the endpoints. */
export async function purgeDeleted(db: Db): Promise<void> {
  await inBatches(
    db,
    sql`select d.id, d.endpoint_id, d.subject from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id
      where w.deleted_at is not null`,
  )
  await sql`
    delete from webhook_endpoints w where w.deleted_at is not null
      and not exists (select from webhook_deliveries d where d.endpoint_id = w.id)
      and not exists (select from webhook_queues q where q.endpoint_id = w.id)`.execute(db)
}

async function inBatches(db: Db, chosen: RawBuilder<unknown>): Promise<void> {
  let deleted = DELETED_AT_ONCE
  while (deleted === DELETED_AT_ONCE) {
    deleted = await db.transaction().execute(async (trx) => {
      const { rows } = await sql<ChosenDelivery>`${plannedEachTime} ${chosen} limit ${DELETED_AT_ONCE}::int`.execute(
        trx,
      )
      if (rows.length > 0) await deleteChosen(trx, rows)
      return rows.length
    })
  }
}

interface ChosenDelivery {
  id: string
  endpoint_id: string
  subject: string
}

/**
 * Deletes deliveries. It first locks their queues in the order of their keys, as the worker does, so that the two
 * cannot deadlock.
 */
async function deleteChosen(trx: Trx, chosen: readonly ChosenDelivery[]): Promise<void> {
  const { rows: locked } = await sql<Omit<ChosenDelivery, 'id'>>`${plannedEachTime}
    select q.endpoint_id, q.subject from webhook_queues q
    where (q.endpoint_id, q.subject) in (select endpoint_id, subject from ${queuesOf(chosen)})
    order by q.endpoint_id, q.subject for update`.execute(trx)
  await sql`${plannedEachTime}
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries where id = any(${chosen.map(({ id }) => id)}::text[]) order by id for update
    )`.execute(trx)
  if (locked.length === 0) return
  await sql`${plannedEachTime}
    delete from webhook_queues q where (q.endpoint_id, q.subject) in (select endpoint_id, subject from ${queuesOf(locked)}) and not exists (
      select from webhook_deliveries d
      where d.endpoint_id = q.endpoint_id and d.subject = q.subject and d.status = 'pending')`.execute(trx)
}

function queuesOf(chosen: readonly Omit<ChosenDelivery, 'id'>[]) {
  return sql`unnest(${chosen.map(({ endpoint_id }) => endpoint_id)}::text[],
    ${chosen.map(({ subject }) => subject)}::text[]) as chosen (endpoint_id, subject)`
}
