import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { PageQuery } from '../../platform/http/responses/pagination.ts'
import { insertEventOf, type SecurityEventRow } from '../audit/store.ts'
import { countOperation, type LimitedOperation } from '../throttle/limit-operation.ts'
import type { User } from '../users/store.ts'

export interface Session {
  id: string
  userId: string
  ipAddress: string
  userAgent: string
  createdAt: Date
  authenticatedAt: Date
  authenticationMethods: string[]
  lastSeenAt: Date
  /** When the newest refresh token of the session expires. */
  refreshExpiresAt: Date
  /** When the session ends at the latest. Refreshing it does not change this. */
  expiresAt: Date
}

/** What a refresh needs of the owner of a session. */
export type TokenOwner = Pick<User, 'id' | 'role' | 'staffRole' | 'kind'>

export interface OpenedSession {
  session: Session
  refreshToken: string
}

export type EndReason = 'logout' | 'revoked' | 'credential_changed' | 'refresh_reuse' | 'disabled' | 'deleted'

const COLUMNS = [
  'sessions.id',
  'sessions.user_id as userId',
  'sessions.ip_address as ipAddress',
  'sessions.user_agent as userAgent',
  'sessions.created_at as createdAt',
  'sessions.authenticated_at as authenticatedAt',
  'sessions.authentication_methods as authenticationMethods',
  'sessions.last_seen_at as lastSeenAt',
  'sessions.refresh_expires_at as refreshExpiresAt',
  'sessions.expires_at as expiresAt',
] as const

/**
 * Inserts a session with its first refresh token, and records this as a security event. Uses one statement, because
 * signing in is a frequent write.
 *
 * @param limited the operation as which the account counts it; undefined: none
 * @returns false, without inserting anything, if the limit of the operation is exceeded
 */
export async function insertSession(
  trx: Trx,
  session: Session,
  { tokenHash, event, limited }: { tokenHash: string; event: SecurityEventRow; limited: LimitedOperation | undefined },
): Promise<boolean> {
  const account = sql`select ${session.userId}::text as user_id`
  const admitted =
    limited === undefined ? account : countOperation(limited, sql`(${account}) as caller`, session.createdAt)
  const { rows } = await sql`
    with admitted as (${admitted}), opened as (
      insert into sessions (id, user_id, ip_address, user_agent, created_at, authenticated_at, authentication_methods,
        last_seen_at, refresh_expires_at, expires_at)
      select ${session.id}, user_id, ${session.ipAddress}, ${session.userAgent}, ${session.createdAt}::timestamptz,
        ${session.authenticatedAt}::timestamptz, ${session.authenticationMethods}::text[],
        ${session.lastSeenAt}::timestamptz, ${session.refreshExpiresAt}::timestamptz, ${session.expiresAt}::timestamptz
      from admitted
      returning id as session_id, user_id
    ), added as (
      insert into refresh_tokens (token_hash, session_id, expires_at)
      select ${tokenHash}, session_id, ${session.refreshExpiresAt}::timestamptz from opened
    ), recorded as (${insertEventOf(sql`opened`, event)})
    select from opened`.execute(trx)
  return rows.length > 0
}

export interface PresentedToken {
  session: Session
  sessionEndedAt: Date | null
  tokenExpiresAt: Date
  rotatedAt: Date | null
  successorSealed: Buffer | null
}

/**
 * Finds a refresh token with its session, and locks both until the transaction ends. It locks the session first, as
 * `rotateUnusedToken` does, so that the two cannot deadlock.
 */
export async function lockRefreshToken(trx: Trx, hash: string): Promise<PresentedToken | undefined> {
  const session = await trx
    .selectFrom('sessions')
    .select(COLUMNS)
    .select('sessions.ended_at as endedAt')
    .where('id', '=', (eb) => eb.selectFrom('refresh_tokens').select('session_id').where('token_hash', '=', hash))
    .forUpdate()
    .executeTakeFirst()
  const token = await trx
    .selectFrom('refresh_tokens')
    .select(['expires_at as expiresAt', 'rotated_at as rotatedAt', 'successor_sealed as successorSealed'])
    .where('token_hash', '=', hash)
    .forUpdate()
    .executeTakeFirst()
  if (session === undefined || token === undefined) return undefined
  const { endedAt: sessionEndedAt, ...open } = session
  const { expiresAt: tokenExpiresAt, rotatedAt, successorSealed } = token
  return { session: open, sessionEndedAt, tokenExpiresAt, rotatedAt, successorSealed }
}

/** Finds the session of a valid refresh token that was not replaced yet. */
export async function findTokenOwner(
  db: Db,
  hash: string,
  now: Date,
): Promise<{ userId: string; sessionId: string } | undefined> {
  return db
    .selectFrom('refresh_tokens')
    .innerJoin('sessions', 'sessions.id', 'refresh_tokens.session_id')
    .select(['sessions.user_id as userId', 'sessions.id as sessionId'])
    .where('refresh_tokens.token_hash', '=', hash)
    .where('refresh_tokens.rotated_at', 'is', null)
    .where('refresh_tokens.expires_at', '>', now)
    .executeTakeFirst()
}

/** The refresh token that replaces another. */
export interface Successor {
  hash: string
  /** The successor, encrypted so that only a client with the replaced token can decrypt it. */
  sealed: Buffer
  expiresAt: Date
}

/**
 * Replaces a refresh token that is valid and unused, and records this as a security event. A customer is counted, and gets
 * no new token above the limit: the token stays unused, so that the client can repeat the request later. It does all this
 * in one statement, because refreshes are the most frequent writes. For any other token it changes nothing and returns
 * undefined.
 *
 * @param event the event; the statement adds the owner and the session of the token
 */
export async function rotateUnusedToken(
  db: Db,
  hash: string,
  successor: Successor,
  event: SecurityEventRow,
  now: Date,
): Promise<{ session: Session; user: TokenOwner; isRotated: boolean } | undefined> {
  // The session is locked first, as everywhere. A concurrent request then finds the token rotated and changes nothing.
  const { rows } = await sql<Session & Omit<TokenOwner, 'id'> & { isRotated: boolean }>`
    with held as (
      select s.id as session_id, s.user_id, s.ip_address, s.user_agent, s.created_at, s.authenticated_at,
        s.authentication_methods, s.expires_at, u.role, u.staff_role, u.kind
      from sessions s join users u on u.id = s.user_id
      -- A subquery, not a join: without statistics, the planner would start a join with all users.
      where s.id = (select session_id from refresh_tokens
          where token_hash = ${hash} and rotated_at is null and expires_at > ${now})
        and s.ended_at is null and s.expires_at > ${now} and u.disabled_at is null
      for no key update of s
    ), unused as (
      select held.session_id, held.user_id, held.role from held, refresh_tokens t
      where t.token_hash = ${hash} and t.rotated_at is null
      for no key update of t
    ), counted as (
      ${countOperation('refresh', sql`unused where role = 'customer'`, now)}
    ), admitted as (
      select session_id, user_id from unused where role <> 'customer' or exists (select from counted)
    ), seen as (
      update sessions s set last_seen_at = ${now}, refresh_expires_at = ${successor.expiresAt}
      from admitted where s.id = admitted.session_id
    ), rotated as (
      update refresh_tokens t set rotated_at = ${now}, successor_sealed = ${successor.sealed}
      from admitted where t.token_hash = ${hash}
    ), added as (
      insert into refresh_tokens (token_hash, session_id, expires_at)
      select ${successor.hash}, session_id, ${successor.expiresAt}::timestamptz from admitted
    ), recorded as (${insertEventOf(sql`admitted`, event)})
    select held.session_id as id, held.user_id as "userId", ip_address as "ipAddress", user_agent as "userAgent",
      created_at as "createdAt", authenticated_at as "authenticatedAt",
      authentication_methods as "authenticationMethods", ${now}::timestamptz as "lastSeenAt",
      ${successor.expiresAt}::timestamptz as "refreshExpiresAt", expires_at as "expiresAt", held.role,
      staff_role as "staffRole", kind, exists (select from admitted) as "isRotated"
    from held, unused`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { role, staffRole, kind, isRotated, ...session } = row
  return { session, user: { id: session.userId, role, staffRole, kind }, isRotated }
}

/** Marks a used token as presented again. Returns whether this is the first time. */
export async function markRepeated(trx: Trx, hash: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('refresh_tokens')
    .set({ repeated_at: at })
    .where('token_hash', '=', hash)
    .where('repeated_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Adds the methods of a new verification to the methods of a session. Returns undefined if the session has ended. */
export async function setAuthenticated(
  trx: Trx,
  id: string,
  methods: string[],
  at: Date,
): Promise<Session | undefined> {
  return trx
    .updateTable('sessions')
    .set({
      authenticated_at: at,
      authentication_methods: sql<string[]>`authentication_methods ||
        array(select added from unnest(${methods}::text[]) as added where added <> all (authentication_methods))`,
    })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returning(COLUMNS)
    .executeTakeFirst()
}

/**
 * Returns whether a session is open. Before a change that needs an open session, the caller must have locked the user.
 */
export async function isSessionOpen(trx: Trx, id: string, now: Date): Promise<boolean> {
  const row = await trx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns whether a session is open or was ended by a logout. In both cases, what the session requested by mail remains
 * valid.
 */
export async function isOpenOrLoggedOut(trx: Trx, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('end_reason', '=', 'logout')]))
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Ends one session of a user.
 *
 * @returns false if the session belongs to another user or had already ended
 */
export async function endSession(
  trx: Trx,
  key: { id: string; userId: string },
  reason: EndReason,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('sessions')
    .set({ ended_at: at, end_reason: reason })
    .where('id', '=', key.id)
    .where('user_id', '=', key.userId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Ends all sessions of a user except the session `except`.
 *
 * @returns how many sessions were open
 */
export async function endSessions(
  trx: Trx,
  { userId, except }: { userId: string; except: string | undefined },
  reason: EndReason,
  at: Date,
): Promise<number> {
  const { numUpdatedRows } = await trx
    .with('open', (cte) =>
      cte
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', userId)
        .where('ended_at', 'is', null)
        .where('id', '!=', except ?? '')
        // Locked in the order of ids, so that two concurrent requests cannot deadlock.
        .orderBy('id')
        .forUpdate(),
    )
    .updateTable('sessions')
    .from('open')
    .set({ ended_at: at, end_reason: reason })
    .whereRef('sessions.id', '=', 'open.id')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/**
 * Lists the open sessions of a user, newest first. It returns one session more than the limit if another page follows.
 */
export async function listOpenSessions(
  db: Db,
  userId: string,
  query: PageQuery,
  after: string | undefined,
  now: Date,
): Promise<Session[]> {
  return db
    .selectFrom('sessions')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .where('refresh_expires_at', '>', now)
    .$if(after !== undefined, (list) => list.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
}

/** Deletes expired refresh tokens, old sessions, and the encrypted successors that can no longer be requested again. */
export async function pruneSessions(db: Db, now: Date, { keepSeconds, replaySeconds }: PruneLimits): Promise<void> {
  const before = (seconds: number): Date => new Date(now.getTime() - seconds * 1000)
  await db.deleteFrom('refresh_tokens').where('expires_at', '<', now).execute()
  await db
    .updateTable('refresh_tokens')
    .set({ successor_sealed: null })
    .where('successor_sealed', 'is not', null)
    .where('rotated_at', '<', before(replaySeconds))
    .execute()
  await db
    .deleteFrom('sessions')
    .where((eb) => eb.or([eb('expires_at', '<', before(keepSeconds)), eb('ended_at', '<', before(keepSeconds))]))
    .execute()
}

export interface PruneLimits {
  keepSeconds: number
  replaySeconds: number
}
