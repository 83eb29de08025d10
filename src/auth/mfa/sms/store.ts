import { type RawBuilder, sql } from 'kysely'
import { addSeconds } from '../../../platform/clock.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { newId } from '../../ids.ts'
import { AUTH_LOCKS } from '../../locks.ts'

/** Waits for a lock until the transaction ends, so that only one transaction at a time counts and sends messages. */
export async function lockSending(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${AUTH_LOCKS.smsSending})`.execute(trx)
}

/**
 * What a code is for: `enroll` confirms a new telephone number. The other purposes verify a user by a number that is
 * already enrolled.
 */
export type CodePurpose = 'enroll' | 'second_factor' | 'step_up'

export interface SentMessage {
  /** Keyed hash of the telephone number. */
  numberHash: string
  prefix: string
  userId: string
  ipKey: string
  /** Network of the IP address (`networkOf`). */
  network: string
  purpose: CodePurpose
  sentAt: Date
}

/**
 * A limit of the messages within a period that go to the same telephone number, or that the same account, IP address or
 * network causes.
 */
export interface SmsLimit {
  by: 'numberHash' | 'userId' | 'ipKey' | 'network'
  seconds: number
  messages: number
  /** If true, codes that enrol a number and codes to enrolled numbers are counted separately. */
  isPerKind?: true
}

const COLUMN = { numberHash: 'number_hash', userId: 'user_id', ipKey: 'address_key', network: 'network' } as const

export async function insertSent(trx: Trx, message: SentMessage): Promise<void> {
  await trx
    .insertInto('sms_history')
    .values({
      number_hash: message.numberHash,
      prefix: message.prefix,
      user_id: message.userId,
      address_key: message.ipKey,
      network: message.network,
      purpose: message.purpose,
      sent_at: message.sentAt,
    })
    .execute()
}

/** Returns when all limits will allow the message. Returns undefined if they allow it now. */
export async function untilWithinLimits(
  trx: Trx,
  message: SentMessage,
  limits: readonly SmsLimit[],
): Promise<Date | undefined> {
  // A limit of n messages is reached while the n-th newest message lies within the period.
  const full = limits.map(
    ({ by, seconds, messages, isPerKind }) => sql`(
      select sent_at + make_interval(secs => ${sql.lit(seconds)}) as free_at from sms_history
      where ${sql.ref(COLUMN[by])} = ${message[by]} and sent_at > ${addSeconds(message.sentAt, -seconds)}
        ${isPerKind === true ? sql`and ${isAlike(message)}` : sql``}
      order by sent_at desc offset ${sql.lit(messages - 1)} limit 1)`,
  )
  const { rows } = await sql<{ free_at: Date | null }>`
    select max(free_at) as free_at from (${sql.join(full, sql` union all `)}) as full_limits`.execute(trx)
  return rows[0]?.free_at ?? undefined
}

/**
 * Returns the SQL condition that selects the messages of the same kind. The two kinds are codes that enrol a number,
 * and codes to enrolled numbers.
 */
function isAlike({ purpose }: SentMessage): RawBuilder<boolean> {
  return sql<boolean>`(purpose = 'enroll') = ${purpose === 'enroll'}`
}

/**
 * Returns when another number with this prefix may get a message of this kind. Returns undefined if it may get one now.
 * A number that got one within the period may always get another.
 */
export async function untilPrefixAllows(
  trx: Trx,
  message: SentMessage,
  { seconds, numbers }: { seconds: number; numbers: number },
): Promise<Date | undefined> {
  const { prefix, numberHash, sentAt } = message
  const { rows } = await sql<{ free_at: Date }>`
    select max(sent_at) + make_interval(secs => ${sql.lit(seconds)}) as free_at from sms_history
    where prefix = ${prefix} and number_hash <> ${numberHash} and sent_at > ${addSeconds(sentAt, -seconds)}
      and ${isAlike(message)}
    group by number_hash order by 1 desc offset ${sql.lit(numbers - 1)} limit 1`.execute(trx)
  return rows[0]?.free_at
}

/** A limit of all messages within a period, or of all codes that enrol a number. */
export interface SmsCap {
  seconds: number
  messages: number
  isOfEnrolments: boolean
}

/** Returns when the total number of messages will be below the limit. Returns undefined if it is below now. */
export async function untilBelowCap(
  trx: Trx,
  { seconds, messages, isOfEnrolments }: SmsCap,
  now: Date,
): Promise<Date | undefined> {
  const { rows } = await sql<{ free_at: Date }>`
    select sent_at + make_interval(secs => ${sql.lit(seconds)}) as free_at from sms_history
    where sent_at > ${addSeconds(now, -seconds)} and (not ${isOfEnrolments}::boolean or purpose = 'enroll')
    order by sent_at desc offset ${sql.lit(messages - 1)} limit 1`.execute(trx)
  return rows[0]?.free_at
}

/**
 * Records that the administrators are told that the limit is reached.
 *
 * @returns false if they were told within its period
 */
export async function noteCapAlert(trx: Trx, { seconds, isOfEnrolments }: SmsCap, now: Date): Promise<boolean> {
  const kind = isOfEnrolments ? 'sms_enrolment_cap_reached' : 'sms_cap_reached'
  const { rows } = await sql`
    insert into mail_history as h (kind, address, sent_at) values (${kind}, '', array[${now}::timestamptz])
    on conflict (kind, address) do update set sent_at = excluded.sent_at
    where h.sent_at[1] <= ${addSeconds(now, -seconds)}::timestamptz
    returning true`.execute(trx)
  return rows.length > 0
}

/** What a code is valid for. At most one code exists for each combination of these values. */
export interface ChallengeKey {
  userId: string
  purpose: string
  boundTo: string
}

export interface Challenge extends ChallengeKey {
  /** Digest of the code and of what it is valid for, computed with a secret key. */
  expected: Buffer
}

/** Stores the digest of a code. It replaces the digest of an earlier code for the same user, purpose and `boundTo`. */
export async function putChallenge(
  trx: Trx,
  challenge: Challenge & { phoneNumber: string; createdAt: Date; expiresAt: Date },
): Promise<void> {
  const { userId, purpose, boundTo } = challenge
  await trx
    .deleteFrom('auth_challenges')
    .where('kind', '=', 'sms')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('bound_to', '=', boundTo)
    .execute()
  await trx
    .insertInto('auth_challenges')
    .values({
      id: newId('challenge'),
      kind: 'sms',
      purpose,
      user_id: userId,
      bound_to: boundTo,
      expected: challenge.expected,
      phone_number: challenge.phoneNumber,
      created_at: challenge.createdAt,
      expires_at: challenge.expiresAt,
    })
    .execute()
}

/**
 * Consumes the digest of a code. If the telephone number of the factor has changed since the code was sent, the code is
 * not accepted.
 *
 * @returns whether a digest matched
 */
export async function takeChallenge(
  trx: Trx,
  { userId, purpose, boundTo, expected }: Challenge,
  { now, maxWrong }: { now: Date; maxWrong: number },
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('auth_challenges as c')
    .where('kind', '=', 'sms')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('bound_to', '=', boundTo)
    .where('expected', '=', expected)
    .where('expires_at', '>', now)
    .where('wrong_codes', '<', maxWrong)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('mfa_factors as f')
          .select('f.id')
          .whereRef('f.user_id', '=', 'c.user_id')
          .whereRef('f.phone_number', '=', 'c.phone_number')
          .where((eb) => (purpose === 'enroll' ? eb('f.id', '=', boundTo) : eb('f.confirmed_at', 'is not', null))),
      ),
    )
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function countWrongCode(trx: Trx, { userId, purpose, boundTo }: ChallengeKey): Promise<void> {
  await trx
    .updateTable('auth_challenges')
    .set((eb) => ({ wrong_codes: eb('wrong_codes', '+', 1) }))
    .where('kind', '=', 'sms')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('bound_to', '=', boundTo)
    .execute()
}

/** Deletes expired codes, and the history of messages that no longer count toward a limit. */
export async function pruneSms(db: Db, now: Date, { keepSeconds }: { keepSeconds: number }): Promise<void> {
  await db.deleteFrom('sms_history').where('sent_at', '<', addSeconds(now, -keepSeconds)).execute()
  await db.deleteFrom('auth_challenges').where('kind', '=', 'sms').where('expires_at', '<', now).execute()
}
