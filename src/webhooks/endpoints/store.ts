import { type Selectable, sql } from 'kysely'
import { type Db, plannedEachTime, type Trx } from '../../platform/db/index.ts'
import type { DB } from '../../platform/db/schema.generated.ts'
import { isId } from '../ids.ts'

/**
 * Why an endpoint is disabled: its owner disabled it, it responded with status 410, or all requests failed for days.
 */
export type DisabledReason = 'by_owner' | 'gone' | 'failing'

export interface Endpoint {
  id: string
  ownerId: string
  url: string
  /** Event types to which the endpoint subscribes. Null means all types. */
  types: string[] | null
  description: string | null
  status: 'enabled' | 'disabled'
  disabledReason: DisabledReason | null
  disabledAt: Date | null
  /** The first of the requests that have failed in a row. Null if the last one succeeded. */
  failingSince: Date | null
  /** Until then, requests are also signed with the secret that was current before. It can be past. */
  previousSecretUntil: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Identifies an endpoint. Every query contains the owner, so that endpoints of other accounts are never found. */
export interface EndpointKey {
  id: string
  ownerId: string
}

const COLUMNS = [
  'id',
  'owner_id',
  'url',
  'types',
  'description',
  'status',
  'disabled_reason',
  'disabled_at',
  'failing_since',
  'previous_secret_until',
  'created_at',
  'updated_at',
] as const

export async function findEndpoint(db: Db | Trx, { id, ownerId }: EndpointKey): Promise<Endpoint | undefined> {
  if (!isId('webhookEndpoint', id)) return undefined
  const row = await ownEndpoint(db, { id, ownerId }).executeTakeFirst()
  return row && toEndpoint(row)
}

/** Reads an endpoint and locks it until the transaction ends. */
export async function lockEndpoint(trx: Trx, { id, ownerId }: EndpointKey): Promise<Endpoint | undefined> {
  if (!isId('webhookEndpoint', id)) return undefined
  const row = await ownEndpoint(trx, { id, ownerId }).forNoKeyUpdate().executeTakeFirst()
  return row && toEndpoint(row)
}

function ownEndpoint(db: Db | Trx, { id, ownerId }: EndpointKey) {
  return db
    .selectFrom('webhook_endpoints')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
}

/**
 * Lists the endpoints of an account, newest first. It returns one endpoint more than the limit if another page follows.
 */
export async function listEndpoints(
  db: Db,
  { ownerId, after, limit }: { ownerId: string; after: string | undefined; limit: number },
): Promise<Endpoint[]> {
  let query = db
    .selectFrom('webhook_endpoints')
    .select(COLUMNS)
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
  if (after !== undefined) query = query.where('id', '<', after)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map(toEndpoint)
}

/** More failed deliveries are not counted, so that the count takes the same time at any number of them. */
export const MOST_COUNTED = 1_000

/** Counts the failed deliveries of endpoints, by the id of the endpoint. */
export async function countFailedDeliveries(db: Db, endpointIds: readonly string[]): Promise<Map<string, number>> {
  if (endpointIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; count: number }>`
    select asked.id, failed.count from unnest(${endpointIds}::text[]) as asked (id)
    cross join lateral (
      select count(*)::int as count from (
        select from webhook_deliveries where endpoint_id = asked.id and status = 'failed' limit ${MOST_COUNTED}
      ) counted
    ) failed`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/**
 * Lets only one transaction of an account at a time add endpoints or deliveries, so that it can count the existing
 * ones.
 */
export async function lockAdding(trx: Trx, ownerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhook endpoints ${ownerId}`}, 0))`.execute(trx)
}

export async function countEndpoints(trx: Trx, ownerId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('webhook_endpoints')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * The position after which an endpoint receives events. It is behind all events that are readable now. Events of
 * transactions that are still open become readable later, so the endpoint receives them.
 */
const FROM_NOW_ON = {
  since_transaction_id: sql<string>`events_readable_before()`,
  since_position: 0,
  since_seen: sql<number[]>`array(
    select position from events where transaction_id >= (select events_readable_before()))`,
}

export async function insertEndpoint(
  trx: Trx,
  endpoint: Pick<Endpoint, 'id' | 'ownerId' | 'url' | 'types' | 'description' | 'createdAt'> & { secretSealed: Buffer },
): Promise<Endpoint> {
  const row = await trx
    .insertInto('webhook_endpoints')
    .values({
      id: endpoint.id,
      owner_id: endpoint.ownerId,
      url: endpoint.url,
      types: endpoint.types,
      description: endpoint.description,
      status: 'enabled',
      secret_sealed: endpoint.secretSealed,
      ...FROM_NOW_ON,
      created_at: endpoint.createdAt,
      updated_at: endpoint.createdAt,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return toEndpoint(row)
}

export async function updateEndpoint(
  trx: Trx,
  { id, url, types, description, updatedAt }: Pick<Endpoint, 'id' | 'url' | 'types' | 'description' | 'updatedAt'>,
): Promise<void> {
  await trx
    .updateTable('webhook_endpoints')
    .set({ url, types, description, updated_at: updatedAt })
    .where('id', '=', id)
    .execute()
}

const WELL = { failures: 0, failing_since: null, paused_until: null }

/**
 * Enables an endpoint. It does not receive the events that happened while it was disabled. It receives the deliveries
 * that were pending before that time, and the events from before that time for which deliveries had not been created
 * yet.
 */
export async function setEnabled(trx: Trx, id: string): Promise<void> {
  await trx
    .updateTable('webhook_endpoints')
    .set({
      status: 'enabled',
      disabled_reason: null,
      disabled_at: null,
      ...FROM_NOW_ON,
      behind_until: sql<Date>`case when behind_transaction_id is not null then disabled_at end`,
      ...WELL,
    })
    .where('id', '=', id)
    .execute()
}

export async function resetHealth(trx: Trx, id: string): Promise<void> {
  await trx.updateTable('webhook_endpoints').set(WELL).where('id', '=', id).execute()
}

export async function setDisabled(
  trx: Trx,
  ids: readonly string[],
  { reason, at }: { reason: DisabledReason; at: Date },
): Promise<void> {
  await trx
    .updateTable('webhook_endpoints')
    .set({ status: 'disabled', disabled_reason: reason, disabled_at: at, updated_at: at })
    .where('id', 'in', ids)
    .where('status', '=', 'enabled')
    .execute()
}

/**
 * Replaces the secret. Until `previousUntil`, requests are also signed with the secret that was current before. A
 * secret from before that one is no longer used.
 */
export async function replaceSecret(
  trx: Trx,
  { id, secretSealed, previousUntil, at }: { id: string; secretSealed: Buffer; previousUntil: Date; at: Date },
): Promise<void> {
  const isOver = previousUntil <= at
  await trx
    .updateTable('webhook_endpoints')
    .set(({ ref }) => ({
      previous_secret_sealed: isOver ? null : ref('secret_sealed'),
      previous_secret_until: isOver ? null : previousUntil,
      secret_sealed: secretSealed,
      updated_at: at,
    }))
    .where('id', '=', id)
    .execute()
}

/** Marks endpoints as deleted, and returns their number. The rows remain until their deliveries are deleted. */
export async function setDeleted(trx: Trx, owner: { ownerId: string; id?: string }, at: Date): Promise<number> {
  let query = trx
    .updateTable('webhook_endpoints')
    .set({
      url: '',
      description: null,
      secret_sealed: null,
      previous_secret_sealed: null,
      previous_secret_until: null,
      deleted_at: at,
    })
    .where('owner_id', '=', owner.ownerId)
    .where('deleted_at', 'is', null)
  if (owner.id !== undefined) query = query.where('id', '=', owner.id)
  const { numUpdatedRows } = await query.executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Returns whether an account has endpoints. Deleted endpoints count until their rows are deleted. */
export async function hasEndpoints(trx: Trx, ownerId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('owner_id', '=', ownerId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Ends the pause that an endpoint gets after failures. */
export async function endPause(trx: Trx, id: string): Promise<void> {
  await trx.updateTable('webhook_endpoints').set({ paused_until: null }).where('id', '=', id).execute()
}

/** Makes all pending deliveries of an endpoint due now, not only at their next retry. */
export async function makeAllDue(trx: Trx, endpointId: string, at: Date): Promise<void> {
  // The queues are locked in the same order as everywhere. Queues with a lease are excluded, because the worker with
  // the lease will record the outcome of an attempt. Those that are due are not written again, because an owner may
  // repeat this change without a limit.
  await sql`${plannedEachTime}
    with waiting as materialized (
      select endpoint_id, subject from webhook_queues where endpoint_id = ${endpointId} and lease_token is null
        and due_at > ${at}
      order by endpoint_id, subject for update
    ), due as (
      update webhook_queues q set due_at = ${at}::timestamptz from waiting
      where q.endpoint_id = waiting.endpoint_id and q.subject = waiting.subject
    )
    update webhook_deliveries d set next_attempt_at = null from waiting
    where d.endpoint_id = waiting.endpoint_id and d.subject = waiting.subject and d.status = 'pending'
      and d.next_attempt_at is not null`.execute(trx)
}

function toEndpoint(row: Pick<Selectable<DB['webhook_endpoints']>, (typeof COLUMNS)[number]>): Endpoint {
  return {
    id: row.id,
    ownerId: row.owner_id,
    url: row.url,
    types: row.types as string[] | null,
    description: row.description,
    status: row.status as Endpoint['status'],
    disabledReason: row.disabled_reason as DisabledReason | null,
    disabledAt: row.disabled_at,
    failingSince: row.failing_since,
    previousSecretUntil: row.previous_secret_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
