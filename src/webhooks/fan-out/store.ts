import { sql } from 'kysely'
import { type Db, plannedEachTime, type Trx } from '../../platform/db/index.ts'
import { networkOfCustomer } from '../../platform/db/share.ts'
import type { EventPosition } from '../../platform/outbox/index.ts'
import { type HiddenEvents, isHiddenFrom, OWNER_ROLE } from '../hidden-events.ts'

export async function hasEnabledEndpoints(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select exists (select from webhook_endpoints where status = ${'enabled'} and deleted_at is null)`.execute(db)
  return rows[0]?.exists === true
}

/**
 * Reads the cursor, the position up to which deliveries of events were created, and locks it until the transaction
 * ends.
 *
 * @returns undefined if another process has locked the cursor
 */
export async function lockCursor(trx: Trx): Promise<EventPosition | undefined> {
  const { rows } = await sql<EventPosition>`
    select transaction_id::text::bigint as "transactionId", position from webhook_cursor
    where is_only_row = ${true} for update skip locked`.execute(trx)
  return rows[0]
}

/** Tells whether events can be read after the cursor. Locks nothing, so that looking for events writes nothing. */
export async function hasNewEvents(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select exists (
      select from events
      where (transaction_id, position) > ((select transaction_id from webhook_cursor), (select position from webhook_cursor))
        and transaction_id < (select events_readable_before())
    )`.execute(db)
  return rows[0]?.exists === true
}

/** Tells whether endpoints have a cursor of their own. */
export async function hasBehind(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select exists (select from webhook_endpoints where behind_transaction_id is not null and deleted_at is null)`.execute(
    db,
  )
  return rows[0]?.exists === true
}

export async function moveCursor(trx: Trx, { transactionId, position }: EventPosition): Promise<void> {
  await sql`
    update webhook_cursor set transaction_id = ${String(transactionId)}::xid8, position = ${position}::bigint`.execute(
    trx,
  )
}

/** An event with the ids of the endpoints that must receive it. */
export interface TargetedEvent extends EventPosition {
  id: string
  type: string
  subject: string
  /** Of the owner of the event (`networkOfShare`). */
  share: string
  endpointIds: string[]
}

const SHARE = networkOfCustomer('e.owner_id', 'newcomers.network')

/** SQL condition: the endpoint `w` is enabled and its owner `u` is not disabled. */
const LISTENS = sql`w.status = 'enabled' and w.deleted_at is null and u.disabled_at is null`
/** SQL condition: the endpoint `w` subscribes to the type of the event `e`. */
const WANTS = sql`(w.types is null or e.type = any(w.types))`
/** SQL condition: the event `e` was committed after the endpoint `w` was added or enabled. */
const IS_NEW = sql`((e.transaction_id, e.position) > (w.since_transaction_id, w.since_position)
  and e.position <> all(w.since_seen))`

/**
 * Lists the next events after a position in order, each with the endpoints that must receive it. Endpoints with a
 * cursor of their own are excluded; see `leaveBehind`.
 */
export async function readTargetedEvents(
  trx: Trx,
  after: EventPosition,
  { limit, hiddenEvents }: { limit: number; hiddenEvents: HiddenEvents },
): Promise<TargetedEvent[]> {
  const { rows } = await sql<TargetedEvent>`
    with listening as materialized (
      select w.id, w.owner_id, w.types, w.since_transaction_id, w.since_position, w.since_seen, u.role,
        ${OWNER_ROLE} as owner_role
      from webhook_endpoints w join users u on u.id = w.owner_id
      where ${LISTENS} and w.behind_transaction_id is null
    ), start as materialized (
      -- Skips the events from before the first endpoint was added or enabled.
      select transaction_id, position from (
        select ${String(after.transactionId)}::xid8 as transaction_id, ${after.position}::bigint as position
        union all
        (select since_transaction_id, since_position from listening order by 1, 2 limit 1)
      ) places order by transaction_id desc, position desc limit 1
    ), batch as materialized (
      select e.id, e.type, e.subject, e.owner_id, e.transaction_id, e.position from events e
      where (e.transaction_id, e.position) > ((select transaction_id from start), (select position from start))
        and e.transaction_id < (select events_readable_before())
      order by e.transaction_id, e.position limit ${limit}::int
    ), wanted as (
      select e.id as event_id, w.id as endpoint_id from batch e join listening w on w.owner_id = e.owner_id
      where w.role = 'customer' and ${WANTS} and ${IS_NEW}
      union all
      select e.id, w.id from batch e cross join listening w where w.role <> 'customer' and ${WANTS} and ${IS_NEW}
        and not ${isHiddenFrom(sql.ref('w.owner_role'), hiddenEvents)}
    ), told as (
      select event_id, array_agg(endpoint_id) as endpoint_ids from wanted group by event_id
    )
    select e.id, e.type, e.subject, e.transaction_id::text::bigint as "transactionId", e.position,
      ${SHARE} as share, coalesce(told.endpoint_ids, '{}') as "endpointIds"
    from batch e left join told on told.event_id = e.id left join newcomers on newcomers.user_id = e.owner_id order by e.transaction_id, e.position`.execute(
    trx,
  )
  return rows
}

/**
 * Maximum number of pending deliveries of an endpoint: of one whose requests succeed, by its owner, and of one whose
 * requests fail.
 */
export interface Capacity {
  ofCustomers: number
  ofStaff: number
  failing: number
}

/** SQL expression: the capacity of the endpoint `w` with the owner `u`. */
const capacityOf = ({ ofCustomers, ofStaff, failing }: Capacity) => sql`
  case when w.failures > 0 then ${failing}::int when u.role = 'customer' then ${ofCustomers}::int
    else ${ofStaff}::int end`

/** SQL query: the number of pending deliveries of the endpoint `w`, counted up to its capacity `may.wait`. */
const WAITING = sql`
  select count(*)::int as wait from (
    select from webhook_deliveries d where d.endpoint_id = w.id and d.status = 'pending' limit may.wait
  ) counted`

/** Finds the endpoints that have reached their maximum of pending deliveries. */
export async function findFull(trx: Trx, endpointIds: readonly string[], capacity: Capacity): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`${plannedEachTime}
    select w.id from webhook_endpoints w join users u on u.id = w.owner_id
    cross join lateral (select ${capacityOf(capacity)} as wait) may
    cross join lateral (${WAITING}) does
    where w.id = any(${[...endpointIds]}::text[]) and does.wait >= may.wait`.execute(trx)
  return rows.map(({ id }) => id)
}

/**
 * Gives endpoints a cursor of their own at this position, because they have too many pending deliveries. All
 * transactions lock endpoints before queues.
 */
export async function leaveBehind(trx: Trx, endpointIds: readonly string[], at: EventPosition): Promise<void> {
  await sql`
    select from webhook_endpoints where id = any(${[...endpointIds]}::text[]) order by id for no key update`.execute(
    trx,
  )
  await sql`
    update webhook_endpoints set behind_transaction_id = ${String(at.transactionId)}::xid8,
      behind_position = ${at.position}::bigint
    where id = any(${[...endpointIds]}::text[])`.execute(trx)
}

export interface Behind {
  endpointId: string
  at: EventPosition
  /** How many further deliveries may be created for the endpoint. */
  room: number
}

/**
 * Lists and locks endpoints that have a cursor of their own and less than half of their maximum of pending deliveries.
 */
export async function listBehind(
  trx: Trx,
  { capacity, limit }: { capacity: Capacity; limit: number },
): Promise<Behind[]> {
  const { rows } = await sql<{ id: string; room: number } & EventPosition>`${plannedEachTime}
    select w.id, w.behind_transaction_id::text::bigint as "transactionId", w.behind_position as position,
      may.wait - does.wait as room
    from webhook_endpoints w join users u on u.id = w.owner_id
    cross join lateral (select ${capacityOf(capacity)} as wait) may
    cross join lateral (${WAITING}) does
    where ${LISTENS} and w.behind_transaction_id is not null and does.wait * 2 < may.wait
    order by w.id limit ${limit}::int for no key update of w`.execute(trx)
  return rows.map(({ id, room, ...at }) => ({ endpointId: id, at, room }))
}

/** Lists the next events for an endpoint that has a cursor of its own, up to the cursor of all other endpoints. */
export async function readBehind(
  trx: Trx,
  { endpointId, at }: Pick<Behind, 'endpointId' | 'at'>,
  { upTo, limit, hiddenEvents }: { upTo: EventPosition; limit: number; hiddenEvents: HiddenEvents },
): Promise<TargetedEvent[]> {
  const { rows } = await sql<Omit<TargetedEvent, 'endpointIds'>>`
    select e.id, e.type, e.subject, ${SHARE} as share, e.transaction_id::text::bigint as "transactionId", e.position
    from webhook_endpoints w join users u on u.id = w.owner_id
    cross join lateral (
      select e.id, e.type, e.subject, e.owner_id, e.transaction_id, e.position from events e
      where (u.role <> 'customer' or e.owner_id = w.owner_id) and not ${isHiddenFrom(OWNER_ROLE, hiddenEvents)}
        and ${WANTS} and (${IS_NEW} or (e.created_at >= w.created_at and e.created_at < w.behind_until))
        and (e.transaction_id, e.position) > (${String(at.transactionId)}::xid8, ${at.position}::bigint)
        and (e.transaction_id, e.position) <= (${String(upTo.transactionId)}::xid8, ${upTo.position}::bigint)
      order by e.transaction_id, e.position limit ${limit}::int
    ) e
    left join newcomers on newcomers.user_id = e.owner_id
    where w.id = ${endpointId}
    order by e.transaction_id, e.position`.execute(trx)
  return rows.map((row) => ({ ...row, endpointIds: [endpointId] }))
}

/**
 * Moves the cursor that an endpoint has of its own. If `at` is undefined, removes that cursor, because the endpoint has
 * reached the common one.
 */
export async function moveBehind(trx: Trx, endpointId: string, at: EventPosition | undefined): Promise<void> {
  await sql`
    update webhook_endpoints set behind_transaction_id = ${at === undefined ? null : String(at.transactionId)}::xid8,
      behind_position = ${at?.position ?? null}::bigint,
      behind_until = case when ${at === undefined}::boolean then null else behind_until end
    where id = ${endpointId}`.execute(trx)
}
