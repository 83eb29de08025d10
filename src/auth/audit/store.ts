import { createHash, randomBytes } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { PageQuery } from '../../platform/http/responses/pagination.ts'
import { newId } from '../ids.ts'
import type { SecurityEvent } from './events.ts'

/** Tells whether one of these events was recorded for an account at this time or later. */
export async function hasEventSince(
  trx: Trx,
  { userId, types }: { userId: string; types: readonly SecurityEvent['type'][] },
  since: Date,
): Promise<boolean> {
  const found = await trx
    .selectFrom('security_events')
    .select('id')
    .where('user_id', '=', userId)
    .where('type', 'in', types)
    .where('recorded_at', '>=', since)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** A row of `security_events`. The members have the order of the columns. */
export interface SecurityEventRow {
  id: string
  type: string
  result: string
  user_id: string | null
  actor: string | null
  session_id: string | null
  method: string | null
  details: string
  personal: string | null
  personal_salt: Buffer | null
  personal_digest: Buffer
  recorded_at: Date
}

/**
 * Makes the row of an event. The digest of the personal part remains after that part is erased. A salt keeps the part
 * from being guessed from its digest.
 */
export function toRow(event: SecurityEvent, at: Date): SecurityEventRow {
  const { client } = event
  const personal = JSON.stringify(client === null ? {} : { ipAddress: client.ip, userAgent: client.userAgent })
  const salt = randomBytes(16)
  return {
    id: newId('securityEvent'),
    type: event.type,
    result: event.result ?? 'success',
    user_id: event.userId,
    actor: event.actor === undefined ? event.userId : event.actor,
    session_id: event.sessionId ?? null,
    method: event.method ?? null,
    details: JSON.stringify(event.details ?? {}),
    personal,
    personal_salt: salt,
    personal_digest: digestPersonal(salt, personal),
    recorded_at: at,
  }
}

export function digestPersonal(salt: Buffer, personal: string): Buffer {
  return createHash('sha256').update(salt).update(personal).digest()
}

export async function insertSecurityEvent(db: Db | Trx, row: SecurityEventRow): Promise<void> {
  await db.insertInto('security_events').values(row).execute()
}

/**
 * SQL that records an event of a user in a statement that also does what the event reports.
 *
 * @param source follows `from`, and has the columns `user_id` and `session_id` of one row, or of none if nothing was done
 */
export function insertEventOf(source: RawBuilder<unknown>, event: SecurityEventRow): RawBuilder<unknown> {
  return sql`
    insert into security_events (id, type, result, user_id, actor, session_id, method, details,
      personal, personal_salt, personal_digest, recorded_at)
    select ${event.id}, ${event.type}, ${event.result}, user_id, user_id, session_id, ${event.method},
      ${event.details}::jsonb, ${event.personal}, ${event.personal_salt}::bytea, ${event.personal_digest}::bytea,
      ${event.recorded_at}::timestamptz
    from ${source}`
}

export interface RecordedEvent {
  id: string
  type: string
  result: string
  userId: string | null
  actor: string | null
  sessionId: string | null
  method: string | null
  details: Record<string, string | number | boolean | null>
  /** JSON text. Null after it was erased because the account was deleted. */
  personal: string | null
  recordedAt: Date
}

export interface EventFilter {
  userId?: string | undefined
  type?: string | undefined
  result?: 'success' | 'failure' | undefined
  /** Lists only events that were recorded at this timestamp or later. */
  from?: Date | undefined
  /** Lists only events that were recorded before this timestamp. */
  to?: Date | undefined
}

/** Lists events, newest first. It returns one event more than the limit if another page follows. */
export async function listSecurityEvents(
  db: Db,
  { userId, type, result, from, to }: EventFilter,
  { limit }: Pick<PageQuery, 'limit'>,
  after: string | undefined,
): Promise<RecordedEvent[]> {
  const rows = await db
    .selectFrom('security_events')
    .select(['id', 'type', 'result', 'actor', 'method', 'details', 'personal'])
    .select(['user_id as userId', 'session_id as sessionId', 'recorded_at as recordedAt'])
    .$if(userId !== undefined, (list) => list.where('user_id', '=', userId ?? ''))
    .$if(type !== undefined, (list) => list.where('type', '=', type ?? ''))
    // These values are literals, as in the definitions of the partial indexes. With parameters, PostgreSQL could not
    // use these indexes.
    .$if(type !== undefined && type !== 'refresh', (list) => list.where('type', '<>', sql.lit('refresh')))
    .$if(result === 'failure', (list) => list.where('result', '=', sql.lit('failure')))
    .$if(result === 'success', (list) => list.where('result', '=', sql.lit('success')))
    .$if(from !== undefined, (list) => list.where('recorded_at', '>=', from ?? new Date(0)))
    .$if(to !== undefined, (list) => list.where('recorded_at', '<', to ?? new Date(0)))
    .$if(after !== undefined, (list) => list.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map((row) => ({ ...row, details: row.details as unknown as RecordedEvent['details'] }))
}
