import { createHash, randomInt, randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Clock } from '../../clock.ts'
import { addSeconds } from '../../clock.ts'
import { runInTurn } from '../../concurrency/debts.ts'
import { runUndo } from '../../concurrency/request-context.ts'
import type { Db, Trx } from '../../db/index.ts'
import { shareOf } from '../../fair-share.ts'
import { isNewcomerSql } from '../../newcomers.ts'
import { Problem } from '../../problem.ts'
import { chargesFor, storageProblems } from '../../storage/index.ts'
import { idempotencyCallerOf, principalOf } from '../core/principal.ts'
import { httpProblems } from '../core/problems.ts'
import { requireHonoured } from '../core/route-headers.ts'

const KEEP_SECONDS = 24 * 3600

/**
 * Length in characters above which a stored response counts towards the storage quota of the caller. The response with
 * a design can have some megabytes.
 */
const FREE_ANSWER_CHARACTERS = 16 * 1024

/**
 * Limit for the bytes of responses that a customer, or all guests of a network together, can have stored within
 * `KEEP_SECONDS`. A new customer has less, because a client may register any number of accounts.
 */
const MAX_BYTES = 256 * 1024 * 1024
const MAX_BYTES_OF_NEWCOMER = 32 * 1024 * 1024

/** This part of a long response counts towards the limit. All of it counts towards the storage quota. */
const PART_OF_LONG = 1 / 8

/**
 * The number of counters per customer of the bytes that stored responses occupy. Each request adds to one of them, chosen
 * at random: with a single counter, parallel requests would commit one after another.
 */
const SLOTS = 8

/** The approximate size of a row with its index entries, without the response. */
const ROW_BYTES = 512

/** The parts of a request that determine whether it repeats another one. */
export type IdempotentRequest = Pick<FastifyRequest, 'headers' | 'method' | 'url' | 'body' | 'principal'> &
  Partial<Pick<FastifyRequest, 'routeOptions'>>

export interface Outcome<Body> {
  status: number
  body: Body
  headers?: Record<string, string>
  /** Members of the body that are shown only once. A replay contains `null` for them. */
  secrets?: readonly (keyof Body & string)[]
  /** Whether a repeated request may do the work again. The response is then not stored. */
  isRepeatable?: boolean
  /**
   * Continues the work after the transaction and returns the final body, which replaces the stored body. If this
   * function throws a problem, a repeated request does the work again. After any other error, a repeated request gets
   * `body`, because the transaction must not run twice.
   */
  finish?(): Promise<Body>
}

/**
 * Runs the creating part of a `POST` in one transaction with support for `Idempotency-Key` (IETF
 * draft-ietf-httpapi-idempotency-key-header). The response is stored in the same transaction as the new records. A
 * repeated request gets the stored response; if the first request was rolled back or interrupted, the repeated request
 * does the work.
 *
 * @param fingerprint identifies the content of the request; by default its body
 * @throws `idempotency_key_invalid`, `idempotency_key_in_progress`, `idempotency_key_reused`, `storage_quota_exceeded`
 */
export async function idempotently<Body extends object>(
  { db, clock }: { db: Db; clock: Clock },
  request: IdempotentRequest,
  reply: FastifyReply,
  work: (trx: Trx) => Promise<Outcome<Body>>,
  fingerprint: string = fingerprintOf(request),
): Promise<Body> {
  const key = readKey(request)
  if (key === undefined) return sendOutcome(reply, await finishWork(await db.transaction().execute(work)))
  const principal = principalOf(request)
  const { userId: ownerId, role } = principal
  const caller = idempotencyCallerOf(principal)
  const requestHash = hashOf(request, fingerprint)
  const now = clock.now()
  const repeatable = { caller, key, requestHash, now }
  const { outcome, isReplay } = await db.transaction().execute(async (trx) => {
    const { kept, isReserved, isNewcomer } = await claim<Body>(trx, { ...repeatable, ownerId })
    if (kept !== undefined) return { outcome: kept, isReplay: true }
    const outcome = await work(trx)
    // Work with a reserved key has had effects before this transaction, such as a payment. Its response must be stored,
    // so the limit does not apply.
    const limit = isNewcomer ? MAX_BYTES_OF_NEWCOMER : MAX_BYTES
    const bound = role !== 'customer' ? undefined : isReserved ? Number.POSITIVE_INFINITY : limit
    if (outcome.isRepeatable !== true) await keep(trx, { ...repeatable, ownerId, isNewcomer, outcome, bound })
    return { outcome, isReplay: false }
  })
  if (isReplay) return replay(reply, outcome)
  return sendOutcome(reply, await finishWork(outcome, (body) => replaceKept(db, repeatable, body)))
}

/**
 * Calls `finish` of an outcome after its transaction.
 *
 * @param replace stores the final body; without a body, it removes the stored response
 */
async function finishWork<Body extends object>(
  outcome: Outcome<Body>,
  replace?: (body: Body | undefined) => Promise<void>,
): Promise<Outcome<Body>> {
  if (outcome.finish === undefined) return outcome
  try {
    const body = await outcome.finish()
    await replace?.(body)
    return { ...outcome, body }
  } catch (error) {
    if (error instanceof Problem) await runUndo(async () => replace?.(undefined))
    throw error
  }
}

/**
 * Finds the stored response to a repeated request. Used by work that has effects before its transaction, such as a
 * request to a payment provider, and therefore cannot leave this to `idempotently`. Returns undefined for a new request
 * or a request without a key.
 *
 * @param fingerprint identifies the content of the request, with the same value as for `idempotently`
 * @throws `idempotency_key_invalid`, `idempotency_key_reused`
 */
export async function findReplay<Body extends object>(
  { db, clock }: { db: Db; clock: Clock },
  request: IdempotentRequest,
  reply: FastifyReply,
  fingerprint: string = fingerprintOf(request),
): Promise<Body | undefined> {
  const key = readKey(request)
  if (key === undefined) return undefined
  const caller = idempotencyCallerOf(principalOf(request))
  const requestHash = hashOf(request, fingerprint)
  const kept = await findKept<Body>(db, { caller, key, requestHash, now: clock.now() })
  return kept && replay(reply, kept)
}

/**
 * Tells whether a response is stored for the key of a request. Used before the content of the request is known, so the
 * response may belong to another request with the same key.
 *
 * @throws `idempotency_key_invalid`
 */
export async function hasAnswer({ db, clock }: { db: Db; clock: Clock }, request: FastifyRequest): Promise<boolean> {
  const key = readKey(request)
  if (key === undefined) return false
  const { rows } = await sql`
    select from idempotency_keys where caller = ${idempotencyCallerOf(principalOf(request))} and key = ${key}
    and expires_at > ${clock.now()} and status <> ${RESERVED}`.execute(db)
  return rows.length > 0
}

/** The status of a row without a response yet. HTTP does not use this value. */
const RESERVED = 0

/**
 * How long a key stays reserved, in seconds. The work is shorter, so after this time the process of the first request
 * must have been killed.
 */
const HELD_SECONDS = 120

/**
 * Runs work that consists of several transactions, such as a payment, with support for `Idempotency-Key`. The key is
 * reserved before the work, so that no other request can use it in the meantime. Afterwards the response is stored
 * under the key.
 *
 * @param fingerprint identifies the content of the request; by default its body
 * @throws `idempotency_key_invalid`, `idempotency_key_in_progress`, `idempotency_key_reused`, and all errors of the
 *   work; after an exception the key is free again
 */
export async function withReservedKey<Body extends object>(
  { db, clock }: { db: Db; clock: Clock },
  request: IdempotentRequest,
  reply: FastifyReply,
  work: () => Promise<Outcome<Body>>,
  fingerprint: string = fingerprintOf(request),
): Promise<Body> {
  const key = readKey(request)
  if (key === undefined) return sendOutcome(reply, await work())
  const caller = idempotencyCallerOf(principalOf(request))
  const wanted = { caller, key, requestHash: hashOf(request, fingerprint), now: clock.now() }
  const holder = randomUUID()
  if (!(await reserve(db, { ...wanted, holder }))) {
    const kept = await findKept<Body>(db, wanted)
    if (kept !== undefined) return replay(reply, kept)
    throw inProgress()
  }
  try {
    const outcome = await work()
    // The work has had its effects, so its response is stored without waiting for a budget of the caller.
    return await runInTurn(() => idempotently({ db, clock }, request, reply, async () => outcome, fingerprint))
  } finally {
    const reserved = db.deleteFrom('idempotency_keys').where('caller', '=', caller).where('key', '=', key)
    await runUndo(() => reserved.where('holder', '=', holder).execute())
  }
}

/**
 * Reserves the key. Returns true if the key was free, or if an earlier reservation for the same request has expired.
 */
async function reserve(
  db: Db,
  { caller, key, requestHash, now, holder }: Repeatable & { holder: string },
): Promise<boolean> {
  const { rows } = await sql`
    insert into idempotency_keys (caller, key, request_hash, status, body, headers, expires_at, holder, held_until)
    values (${caller}, ${key}, ${requestHash}, ${RESERVED}, 'null', '{}', ${addSeconds(now, KEEP_SECONDS)},
      ${holder}, ${addSeconds(now, HELD_SECONDS)})
    on conflict (caller, key) do update set request_hash = excluded.request_hash, status = excluded.status,
      body = excluded.body, headers = excluded.headers, expires_at = excluded.expires_at,
      holder = excluded.holder, held_until = excluded.held_until
    where idempotency_keys.expires_at <= ${now}
      or (idempotency_keys.held_until <= ${now} and idempotency_keys.request_hash = excluded.request_hash)
    returning key`.execute(db)
  return rows.length > 0
}

/** Frees the keys that killed processes had reserved. Call this function only if no other process is running. */
export async function releaseReservedKeys(db: Db): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('holder', 'is not', null).execute()
}

/**
 * Replaces the stored response to a request. Without a body, removes the response, so that a repeated request does the
 * work again.
 */
async function replaceKept(db: Db, { caller, key, requestHash }: Repeatable, body: object | undefined): Promise<void> {
  const isKept = sql<boolean>`caller = ${caller} and key = ${key} and request_hash = ${requestHash}`
  if (body === undefined) await db.deleteFrom('idempotency_keys').where(isKept).execute()
  else
    await db
      .updateTable('idempotency_keys')
      .where(isKept)
      .set({ body: JSON.stringify(body) })
      .execute()
}

function fingerprintOf(request: IdempotentRequest): string {
  return JSON.stringify(request.body ?? null)
}

/** A path with or without `/v1` counts as the same URL, because a repeated request may use the other form. */
const VERSION_BEFORE_API = /^\/v1(?=\/api\/)/

function hashOf({ method, url }: IdempotentRequest, fingerprint: string): string {
  const address = url.replace(VERSION_BEFORE_API, '')
  return createHash('sha256').update(`${method} ${address}\n${fingerprint}`).digest('hex')
}

interface Repeatable {
  caller: string
  key: string
  requestHash: string
  now: Date
}

interface KeptRow {
  request_hash: string
  status: number
  body: unknown
  headers: unknown
}

async function findKept<Body>(
  db: Db,
  { caller, key, requestHash, now }: Repeatable,
): Promise<Outcome<Body> | undefined> {
  const kept = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'body', 'headers'])
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return kept && toOutcome(kept, requestHash)
}

/**
 * Returns the stored response of a row, or undefined if the key is only reserved.
 *
 * @throws `idempotency_key_reused` if the row belongs to another request
 */
function toOutcome<Body>(kept: KeptRow, requestHash: string): Outcome<Body> | undefined {
  if (kept.request_hash !== requestHash) throw httpProblems.idempotency_key_reused()
  if (kept.status === RESERVED) return undefined
  return { status: kept.status, body: kept.body as Body, headers: kept.headers as Record<string, string> }
}

function replay<Body>(reply: FastifyReply, kept: Outcome<Body>): Body {
  reply.header('Idempotent-Replayed', 'true')
  return sendOutcome(reply, kept)
}

function readKey(request: IdempotentRequest): string | undefined {
  requireHonoured(request, 'Idempotency-Key')
  const header = request.headers['idempotency-key']
  if (header === undefined) return undefined
  // The draft specifies a quoted string, but most clients send the key without quotes.
  const key = String(header)
    .trim()
    .replace(/^"(.*)"$/, '$1')
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw httpProblems.idempotency_key_invalid({
      errors: [{ code: 'wrong_format', header: 'Idempotency-Key', detail: 'Send 1 to 255 visible ASCII characters.' }],
    })
  }
  return key
}

/**
 * Takes the lock of the key, so that only one request per key runs at a time. The lock ends with the transaction, even
 * if the process is killed.
 *
 * @returns the stored response for the key, whether `withReservedKey` has reserved the key, and whether the account is a
 *   new customer
 * @throws `idempotency_key_in_progress`, `idempotency_key_reused`
 */
async function claim<Body>(
  trx: Trx,
  { caller, ownerId, key, requestHash, now }: Repeatable & Pick<Kept<Body>, 'ownerId'>,
): Promise<{ kept: Outcome<Body> | undefined; isReserved: boolean; isNewcomer: boolean }> {
  // One statement, because each statement of a transaction costs a round trip.
  const { rows } = await sql<{ claimed: boolean; isNewcomer: boolean } & (KeptRow | { request_hash: null })>`
    select claimed, request_hash, status, body, headers, ${isNewcomerSql(ownerId)} as "isNewcomer"
    from claim_idempotency_key(${caller}, ${key}, ${now})`.execute(trx)
  const [kept] = rows
  if (kept?.claimed !== true) throw inProgress()
  const { isNewcomer } = kept
  if (kept.request_hash === null) return { kept: undefined, isReserved: false, isNewcomer }
  return { kept: toOutcome(kept, requestHash), isReserved: kept.status === RESERVED, isNewcomer }
}

function inProgress() {
  return httpProblems.idempotency_key_in_progress({ headers: { 'Retry-After': '1' } })
}

interface Kept<Body> extends Repeatable {
  /** The account that the stored response counts for. */
  ownerId: string
  isNewcomer: boolean
  outcome: Outcome<Body>
  /** Limit for the bytes of responses that are stored for the caller. Undefined: the bytes are not counted. */
  bound: number | undefined
}

async function keep<Body extends object>(
  trx: Trx,
  { caller, ownerId, isNewcomer, key, requestHash, outcome, now, bound }: Kept<Body>,
): Promise<void> {
  const shown = { ...outcome.body } as Record<string, unknown>
  for (const secret of outcome.secrets ?? []) shown[secret] = null
  const body = JSON.stringify(shown)
  const bytes = Buffer.byteLength(body)
  const isLong = body.length > FREE_ANSWER_CHARACTERS
  const counted = ROW_BYTES + Math.ceil(isLong ? bytes * PART_OF_LONG : bytes)
  // New customers of a network have a quota together, so all their responses count towards it.
  const isCharged = isLong || (bound !== undefined && isNewcomer)
  // One statement, because other requests of the account wait for its usage. That row is locked before the counter,
  // because the work may have locked it already. Plain SQL, because building the query would cost time in every creating
  // request.
  const { rows } = await sql<{ used: number | null }>`
    with ${isCharged ? sql`${chargesFor({ ownerId, bytes: ROW_BYTES + bytes, seconds: KEEP_SECONDS })},` : sql``}
    counted as (
      insert into idempotency_usage as u (caller, slot, since, bytes)
      select ${shareOf(ownerId)}, ${randomInt(SLOTS)}::smallint, ${now}::timestamptz, ${counted}::bigint
      ${isCharged ? sql`from charged` : sql``} where ${bound !== undefined}::boolean
      on conflict (caller, slot) do update set
        bytes = case when u.since <= ${addSeconds(now, -KEEP_SECONDS)} then excluded.bytes else u.bytes + excluded.bytes end,
        since = case when u.since <= ${addSeconds(now, -KEEP_SECONDS)} then excluded.since else u.since end
      returning bytes
    )
    insert into idempotency_keys (caller, key, request_hash, status, body, headers, expires_at)
    values (${caller}, ${key}, ${requestHash}, ${outcome.status}, ${body},
      ${JSON.stringify(outcome.headers ?? {})}, ${addSeconds(now, KEEP_SECONDS)})
    on conflict (caller, key) do update set request_hash = excluded.request_hash, status = excluded.status,
      body = excluded.body, headers = excluded.headers, expires_at = excluded.expires_at,
      holder = null, held_until = null
    returning (select bytes from counted) as used`.execute(trx)
  const used = (rows[0]?.used ?? 0) * SLOTS
  if (bound !== undefined && used > bound) {
    throw storageProblems.storage_quota_exceeded({
      members: { used, quota: bound },
      detail:
        'The responses that are stored for your idempotency keys exceed their limit. Each counts for 24 hours. Repeat the request without a key, or later.',
    })
  }
}

function sendOutcome<Body>(reply: FastifyReply, { status, body, headers }: Outcome<Body>): Body {
  reply.code(status)
  if (headers !== undefined) reply.headers(headers)
  return body
}

/** Deletes the responses that are stored for an account, also those to operators who acted for it. */
export async function forgetAnswersFor(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('idempotency_keys').where('caller', '=', userId).execute()
  await sql`
    delete from idempotency_keys where caller like '%/%' and split_part(caller, '/', 2) = ${userId}`.execute(trx)
  await trx.deleteFrom('idempotency_usage').where('caller', '=', userId).execute()
}

export async function pruneIdempotencyKeys(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('expires_at', '<=', now).execute()
  await db.deleteFrom('idempotency_usage').where('since', '<=', addSeconds(now, -KEEP_SECONDS)).execute()
}
