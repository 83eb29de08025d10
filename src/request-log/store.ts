import { sql } from 'kysely'
import type { Db, Trx } from '../platform/db/index.ts'
import type { RequestEntry } from './entry.ts'

export interface StoredEntry extends RequestEntry {
  /** The place in the log. */
  id: number
}

/**
 * Stores requests of one day. An account that was deleted since is not named.
 *
 * @param day the day in UTC
 * @returns how many requests of that day all processes have stored
 */
export async function storeEntries(db: Db, day: string, entries: readonly RequestEntry[]): Promise<number> {
  const { rows } = await sql<{ stored: number }>`
    with inserted as (
      insert into request_log (request_id, ended_at, method, route, operation, parameters, status, problem, duration_ms,
        caller, user_id, actor_id, credential_id, network)
      select e."requestId", e."endedAt", e.method, e.route, e.operation, e.parameters, e.status, e.problem,
        e."durationMs", e.caller, owner.id, actor.id,
        case when is_known then e."credentialId" end, case when is_known then e.network end
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as e (
        "requestId" uuid, "endedAt" timestamptz, method text, route text, operation text, parameters text[],
        status smallint, problem text, "durationMs" int, caller text, "userId" text, "actorId" text, "credentialId" text,
        network text
      )
      left join users owner on owner.id = e."userId" and owner.deleted_at is null
      left join users actor on actor.id = e."actorId" and actor.deleted_at is null
      cross join lateral (
        select (e."userId" is null or owner.id is not null) and (e."actorId" is null or actor.id is not null) as is_known
      ) known
      -- A proxy may give two requests the same id.
      on conflict (request_id) do nothing
    )
    insert into request_log_days as days (day, stored) values (${day}::date, ${entries.length})
    on conflict (day) do update set stored = days.stored + excluded.stored
    returning stored`.execute(db)
  return rows[0]?.stored ?? 0
}

export interface LogFilter {
  requestId?: string | undefined
  /** The lowest and the highest status. */
  status?: readonly [from: number, to: number] | undefined
  route?: string | undefined
  userId?: string | undefined
  credentialId?: string | undefined
  /** Lists only requests that ended at this time or later. */
  from?: Date | undefined
  /** Lists only requests that ended before this time. */
  to?: Date | undefined
}

const COLUMNS = sql`
  id, request_id as "requestId", ended_at as "endedAt", method, route, operation, parameters, status, problem,
  duration_ms as "durationMs", caller, user_id as "userId", actor_id as "actorId", credential_id as "credentialId",
  network`

/** Lists requests, newest first. It returns one request more than the limit if another page follows. */
export async function listEntries(
  db: Db,
  filter: LogFilter,
  { limit, before }: { limit: number; before: number | undefined },
): Promise<StoredEntry[]> {
  const { requestId, status, route, userId, credentialId, from, to } = filter
  const conditions = [
    sql`true`,
    ...(requestId === undefined ? [] : [sql`request_id = ${requestId}::uuid`]),
    ...(status === undefined ? [] : [statusIs(status)]),
    ...(route === undefined ? [] : [sql`route = ${route}`]),
    ...(userId === undefined ? [] : [sql`(user_id = ${userId} or actor_id = ${userId})`]),
    ...(credentialId === undefined ? [] : [sql`credential_id = ${credentialId}`]),
    ...(from === undefined ? [] : [sql`ended_at >= ${from} and id >= ${firstIdAt(from)}`]),
    ...(to === undefined ? [] : [sql`ended_at < ${to} and id <= ${lastIdBefore(to)}`]),
    ...(before === undefined ? [] : [sql`id < ${before}::bigint`]),
  ]
  const { rows } = await sql<StoredEntry>`
    select ${COLUMNS} from request_log where ${sql.join(conditions, sql` and `)}
    order by id desc limit ${limit + 1}::int`.execute(db)
  return rows
}

// Ids have the order of times but for the time that an entry waits. With bounds of ids, the index of ids does not run
// through the whole log.
const firstIdAt = (from: Date) => sql`(
  select id from request_log where ended_at >= ${from}::timestamptz - interval '1 minute' order by ended_at limit 1)`
const lastIdBefore = (to: Date) => sql`(
  select id from request_log where ended_at < ${to}::timestamptz + interval '1 minute' order by ended_at desc limit 1)`

const statusIs = ([from, to]: readonly [number, number]) =>
  from === to ? sql`status = ${from}::smallint` : sql`status between ${from}::smallint and ${to}::smallint`

/** Lists requests of an account after a place in the log, oldest first. */
export async function listEntriesOf(db: Db, userId: string, after: number, limit: number): Promise<StoredEntry[]> {
  const { rows } = await sql<StoredEntry>`
    select ${COLUMNS} from request_log where user_id = ${userId} and id > ${after}::bigint
    order by id limit ${limit}::int`.execute(db)
  return rows
}

/** Removes from some requests what identifies an account. @returns how many requests named the account */
export async function eraseCallers(trx: Trx, userId: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update request_log set user_id = null, actor_id = null, credential_id = null, network = null
    where id in (
      (select id from request_log where user_id = ${userId} limit ${limit}::int)
      union all (select id from request_log where actor_id = ${userId} limit ${limit}::int)
    )`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** Assigns the requests of an account to another one, which has taken over its records. */
export async function moveEntries(trx: Trx, from: string, to: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update request_log set user_id = ${to} where id in (
      select id from request_log where user_id = ${from} limit ${limit}::int
    )`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** Deletes some requests that ended before a timestamp. @returns how many were deleted */
export async function deleteEntries(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from request_log where id in (
      select id from request_log where ended_at < ${before} order by ended_at limit ${limit}::int
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Deletes the counts of days that ended before a timestamp. */
export async function deleteDays(db: Db, before: Date): Promise<void> {
  await sql`delete from request_log_days where day < ${before}::date`.execute(db)
}
