import { type RawBuilder, sql } from 'kysely'
import { type Db, plannedEachTime, type Trx } from '../../platform/db/index.ts'
import { networkOfCustomer } from '../../platform/db/share.ts'
import { GUESTS } from '../../platform/fair-share.ts'
import type { Attempt } from '../deliveries/attempt.ts'
import { bodyOf, type DeliveryStatus, type EventColumns } from '../deliveries/store.ts'
import type { SealedSecrets } from '../endpoints/secrets.ts'
import { type HiddenEvents, isHiddenFrom, OWNER_ROLE } from '../hidden-events.ts'

/** A subject of an endpoint that this process has leased, with the next delivery of that subject. */
export interface Claim extends SealedSecrets {
  endpointId: string
  /** Of the owner (`findShare`). */
  share: string
  isCustomers: boolean
  subject: string
  token: string
  deliveryId: string
  eventId: string
  url: string
  isFailing: boolean
  isTest: boolean
  tries: number
  attempts: Attempt[]
  /** Trace of the request that caused the event. */
  traceparent: string | null
  /** Whether the owner may no longer see the event because a role was revoked. */
  isForbidden: boolean
  /**
   * Undefined if the event is no longer retained. `text` is undefined if the body is long, until the claim is read
   * again.
   */
  body: { bytes: number; text: string | undefined } | undefined
}

/**
 * Maximum size of a body that is read together with the claim. Longer bodies are read later, because many claims wait
 * in memory.
 */
const SHORT_BODY_BYTES = 8_192

/**
 * How many subjects may be claimed for each endpoint without a number of its own, by the kind of its owner. `visitors`
 * are customers who have not paid yet. `staff` is never less than `customers`, which is never less than `visitors`.
 */
export interface PlacesOfOthers {
  staff: number
  customers: number
  visitors: number
}

/**
 * Maximum number of claims that the visitors of one network have together, for endpoints with a number of places of their
 * own and for other endpoints.
 */
export interface MostOfNetwork {
  known: number
  otherwise: number
}

export interface Claiming {
  token: string
  now: Date
  /** Duration of the leases. The database measures it, because the clocks of processes may differ. */
  leaseSeconds: number
  /**
   * How many subjects may be claimed for each endpoint. `otherwise` has the numbers for endpoints that are not listed.
   */
  places: ReadonlyMap<string, number>
  otherwise: PlacesOfOthers
  /** How many claims each share has. Shares with fewer claims come first. */
  held: ReadonlyMap<string, number>
  mostOfNetwork: MostOfNetwork
  /** Endpoints whose deliveries may be claimed. Undefined means all endpoints. */
  endpointIds: readonly string[] | undefined
  isStaffOnly: boolean
  limit: number
  hiddenEvents: HiddenEvents
}

type ClaimRow = Omit<Claim, 'body'> & EventColumns & { bytes: number | null }

function toClaim({ bytes, type, eventCreatedAt, sequence, eventSubject, data, payload, ...claim }: ClaimRow): Claim {
  const columns = { type, eventCreatedAt, sequence, eventSubject, data, payload }
  return { ...claim, body: bytes === null ? undefined : { bytes, text: bodyOf(claim.eventId, columns) } }
}

const SHARE = networkOfCustomer('w.owner_id', 'newcomers.network')

/**
 * Selects the next delivery of each subject in the table `taken`, with its endpoint. Bodies over `maxBytes` are
 * omitted.
 */
const claimsOfTaken = (maxBytes: RawBuilder<unknown>, hidden: HiddenEvents) => sql`
  select taken.endpoint_id as "endpointId", taken.subject, taken.token, d.id as "deliveryId", d.event_id as "eventId",
    ${SHARE} as share, u.role = 'customer' as "isCustomers", w.url, w.failures > 0 as "isFailing", w.secret_sealed as "secretSealed",
    w.previous_secret_sealed as "previousSecretSealed", w.previous_secret_until as "previousSecretUntil",
    d.payload is not null as "isTest", d.tries, d.attempts, d.payload::text as payload,
    e.owner_id is not null and e.owner_id <> w.owner_id and u.role = 'customer'
      or ${isHiddenFrom(OWNER_ROLE, hidden)} as "isForbidden",
    e.type, e.traceparent, e.created_at as "eventCreatedAt", e.sequence, e.subject as "eventSubject",
    sized.bytes, case when sized.bytes <= ${maxBytes} then e.data::text end as data
  from taken
  join webhook_endpoints w on w.id = taken.endpoint_id join users u on u.id = w.owner_id
  left join newcomers on newcomers.user_id = w.owner_id
  cross join lateral (
    select id, event_id, payload, tries, attempts from webhook_deliveries
    where endpoint_id = taken.endpoint_id and subject = taken.subject and status = 'pending'
    order by number limit 1
  ) d
  left join events e on e.id = d.event_id
  cross join lateral (select octet_length(coalesce(d.payload::text, e.data::text)) as bytes) sized`

/**
 * Leases due subjects. The number per endpoint is limited, so that an endpoint with many due subjects does not hide
 * others. Shares with fewer claims come first, so that shares with many endpoints do not hide others. Subjects whose
 * lease has expired are included.
 */
export async function claimDue(db: Db, claiming: Claiming): Promise<Claim[]> {
  const { token, now, leaseSeconds, held, limit } = claiming
  const { known, otherwise } = claiming.mostOfNetwork
  // Only endpoints up to the limit are locked, because a nested loop reads `ranked` in its order.
  const { rows } = await sql<ClaimRow>`${plannedEachTime}
    with due as materialized (
      select found.endpoint_id, found.subject
      from (
        select id, places, due_at, rank from (
          select e.id, e.places, e.due_at, e.is_visitor, e.is_known,
            coalesce(held.claims, 0) + row_number() over (partition by e.share order by e.due_at, e.id) as rank
          from (${endpointsWithDue(claiming)}) e
          left join unnest(${[...held.keys()]}::text[], ${[...held.values()]}::int[]) as held (share, claims)
            on held.share = e.share
        ) numbered
        where not is_visitor or rank <= case when is_known then ${known}::int else ${otherwise}::int end
        order by rank, due_at
      ) ranked
      cross join lateral (
        select q.endpoint_id, q.subject from webhook_queues q
        where q.endpoint_id = ranked.id and ${isDue(now)}
        order by q.turn, q.due_at limit ranked.places for update skip locked
      ) found
      limit ${limit}::int
    ), taken as (
      update webhook_queues q set lease_token = ${token}::uuid, due_at = now() + make_interval(secs => ${leaseSeconds}::int)
      from due where q.endpoint_id = due.endpoint_id and q.subject = due.subject
      returning q.endpoint_id, q.subject, q.lease_token as token
    )
    ${claimsOfTaken(sql`${SHORT_BODY_BYTES}::int`, claiming.hiddenEvents)}`.execute(db)
  return rows.map(toClaim)
}

const isDue = (now: Date) => sql`q.due_at <= greatest(${now}::timestamptz, now())
  and q.due_at <= case when q.lease_token is null then ${now}::timestamptz else now() end`

/** Selects the endpoints that have due subjects and places for them, with the time of their oldest subject. */
function endpointsWithDue({ now, places, otherwise, endpointIds, isStaffOnly }: Claiming): RawBuilder<unknown> {
  const only = endpointIds === undefined ? sql`` : sql`and w.id = any(${[...endpointIds]}::text[])`
  return sql`
    select w.id, owner.share, owner.is_visitor, known.id is not null as is_known, allowed.places, oldest.due_at
    from webhook_endpoints w
    join users u on u.id = w.owner_id and u.disabled_at is null
      and not (${isStaffOnly}::boolean and u.role = 'customer')
    left join newcomers on newcomers.user_id = w.owner_id
    cross join lateral (
      select ${SHARE} as share, u.role = 'customer' and starts_with(${SHARE}, ${GUESTS}) as is_visitor
    ) owner
    left join unnest(${[...places.keys()]}::text[], ${[...places.values()]}::int[]) as known (id, places) on known.id = w.id
    cross join lateral (
      select coalesce(known.places, case when owner.is_visitor then ${otherwise.visitors}::int
        when u.role = 'customer' then ${otherwise.customers}::int else ${otherwise.staff}::int end) as places
    ) allowed
    cross join lateral (
      select q.due_at from webhook_queues q
      where q.endpoint_id = w.id and allowed.places > 0 and ${isDue(now)} order by q.due_at limit 1
    ) oldest
    where w.status = 'enabled' and w.deleted_at is null and (w.paused_until is null or w.paused_until <= ${now}) ${only}`
}

/**
 * Reads claims again that have waited, or whose bodies are long. Since they were claimed, the role of the owner, the
 * endpoint or the event may have changed. Claims are omitted if another process has taken over the lease, or if nothing
 * may be sent to the endpoint any more.
 */
export async function readClaimsAgain(db: Db, claims: readonly Lease[], hiddenEvents: HiddenEvents): Promise<Claim[]> {
  const { rows } = await sql<ClaimRow>`${plannedEachTime}
    with taken as materialized (
      select q.endpoint_id, q.subject, q.lease_token as token
      from ${listOf(claims)} as held (endpoint_id, subject, token)
      join webhook_queues q
        on q.endpoint_id = held.endpoint_id and q.subject = held.subject and q.lease_token = held.token
      join webhook_endpoints w on w.id = q.endpoint_id and w.status = 'enabled' and w.deleted_at is null
      join users u on u.id = w.owner_id and u.disabled_at is null
    )
    ${claimsOfTaken(sql`sized.bytes`, hiddenEvents)}`.execute(db)
  return rows.map(toClaim)
}

export type Lease = Pick<Claim, 'endpointId' | 'subject' | 'token'>

/** Returns claims to the queue whose request was not sent. They are due again at once. */
export async function releaseClaims(db: Db, claims: readonly Lease[], at: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const held = await lockHeld(trx, claims)
    await sql`${plannedEachTime}
      update webhook_queues q set lease_token = null, due_at = ${at}
      from ${listOf(held)} as held (endpoint_id, subject, token)
      where q.endpoint_id = held.endpoint_id and q.subject = held.subject`.execute(trx)
  })
}

/** Ends the leases of killed processes. Call it only if no other process sends deliveries. */
export async function releaseLeft(db: Db, at: Date): Promise<void> {
  await sql`update webhook_queues set lease_token = null, due_at = ${at} where lease_token is not null`.execute(db)
}

/**
 * Locks endpoints until the transaction ends. Call it before `lockHeld`, because all transactions lock endpoints before
 * queues.
 */
export async function lockEndpoints(trx: Trx, ids: readonly string[]): Promise<EndpointHealth[]> {
  const { rows } = await sql<EndpointHealth>`
    select w.id, w.url, w.status = 'enabled' and w.deleted_at is null as "isEnabled", w.failures,
      w.failing_since as "failingSince", u.email as "ownerEmail"
    from webhook_endpoints w join users u on u.id = w.owner_id
    where w.id = any(${[...ids]}::text[]) order by w.id for no key update of w`.execute(trx)
  return rows
}

export interface EndpointHealth {
  id: string
  url: string
  isEnabled: boolean
  failures: number
  failingSince: Date | null
  ownerEmail: string
}

/** Locks the queues of claims whose lease this process still has, and returns these claims. */
export async function lockHeld<T extends Lease>(trx: Trx, held: readonly T[]): Promise<T[]> {
  const { rows } = await sql<{ endpoint_id: string; subject: string }>`${plannedEachTime}
    select q.endpoint_id, q.subject from webhook_queues q
    join ${listOf(held)} as held (endpoint_id, subject, token)
      on q.endpoint_id = held.endpoint_id and q.subject = held.subject and q.lease_token = held.token
    order by q.endpoint_id, q.subject for update of q`.execute(trx)
  const found = new Set(rows.map((row) => `${row.endpoint_id} ${row.subject}`))
  return held.filter(({ endpointId, subject }) => found.has(`${endpointId} ${subject}`))
}

function listOf(held: readonly Lease[]) {
  return sql`unnest(${held.map(({ endpointId }) => endpointId)}::text[], ${held.map(({ subject }) => subject)}::text[],
    ${held.map(({ token }) => token)}::uuid[])`
}

/** The state of a delivery after an attempt. */
export interface Outcome extends Lease {
  deliveryId: string
  status: DeliveryStatus
  tries: number
  attempts: readonly Attempt[]
  /** When a pending delivery is retried. */
  nextAttemptAt: Date | null
}

/**
 * Records outcomes and ends the leases. Queues with further deliveries become due, at once or at the next retry. Queues
 * without further deliveries are deleted. The caller must have locked the queues.
 */
export async function recordOutcomes(trx: Trx, ended: readonly Outcome[], at: Date): Promise<void> {
  await sql`${plannedEachTime}
    update webhook_deliveries d
    set status = ended.status, tries = ended.tries, attempts = ended.attempts::json, next_attempt_at = ended.next_attempt_at
    from unnest(${ended.map(({ deliveryId }) => deliveryId)}::text[], ${ended.map(({ status }) => status)}::text[],
      ${ended.map(({ tries }) => tries)}::int[], ${ended.map(({ attempts }) => JSON.stringify(attempts))}::text[],
      ${ended.map(({ nextAttemptAt }) => nextAttemptAt)}::timestamptz[])
      as ended (id, status, tries, attempts, next_attempt_at)
    where d.id = ended.id`.execute(trx)
  // This is a separate statement, so that it sees the rows that other transactions added while this one waited for the
  // locks.
  await sql`${plannedEachTime}
    with returned as (
      select held.endpoint_id, held.subject, held.due_at, more.id is not null as has_more
      from unnest(${ended.map(({ endpointId }) => endpointId)}::text[], ${ended.map(({ subject }) => subject)}::text[],
        ${ended.map(({ nextAttemptAt }) => nextAttemptAt ?? at)}::timestamptz[]) as held (endpoint_id, subject, due_at)
      left join lateral (
        select id from webhook_deliveries d
        where d.endpoint_id = held.endpoint_id and d.subject = held.subject and d.status = 'pending' limit 1
      ) more on true
    ), done as (
      delete from webhook_queues q using returned
      where q.endpoint_id = returned.endpoint_id and q.subject = returned.subject and not returned.has_more
    )
    update webhook_queues q set lease_token = null, due_at = returned.due_at from returned
    where q.endpoint_id = returned.endpoint_id and q.subject = returned.subject and returned.has_more`.execute(trx)
}

export interface Health extends Pick<EndpointHealth, 'id' | 'failures' | 'failingSince'> {
  pausedUntil: Date | null
}

export async function setHealth(trx: Trx, endpoints: readonly Health[]): Promise<void> {
  await sql`
    update webhook_endpoints w
    set failures = now.failures, failing_since = now.failing_since, paused_until = now.paused_until
    from unnest(${endpoints.map(({ id }) => id)}::text[], ${endpoints.map(({ failures }) => failures)}::int[],
      ${endpoints.map(({ failingSince }) => failingSince)}::timestamptz[],
      ${endpoints.map(({ pausedUntil }) => pausedUntil)}::timestamptz[])
      as now (id, failures, failing_since, paused_until)
    where w.id = now.id`.execute(trx)
}
