import type { Config } from '../../config/index.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { type Grant, grantsBeyondRole } from '../access/permissions.ts'
import type { Caller } from '../caller.ts'
import { newId } from '../ids.ts'
import { hashSecret } from '../keys/secrets.ts'
import { mailSecurityNotice } from '../mail/notices.ts'
import { authProblems } from '../problems.ts'
import type { AccountChangeDeps } from '../sessions/end-sessions.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { limitOperation } from '../throttle/limit-operation.ts'
import type { User } from '../users/store.ts'
import { newApiKey, visiblePartsOf } from './key-format.ts'
import {
  type ApiKey,
  countUsableKeys,
  insertApiKey,
  lockApiKey,
  replaceSecret,
  type StoredSecret,
  setRevoked,
} from './store.ts'

const MAX_KEYS = 50

interface KeyConfig {
  config: Pick<Config, 'paymentProvider'>
}

export type KeyDeps = AccountChangeDeps & KeyConfig

export interface IssuedKey {
  record: ApiKey
  /** The whole API key. The service stores only its hash. */
  key: string
}

/**
 * Creates a key that acts as the caller.
 *
 * @throws `insufficient_role` for a permission that the caller's role lacks, `validation_failed` for an expiry in the
 *   past, `too_many_api_keys`, `rate_limited`, `credential_not_accepted`
 */
export async function createKey(
  trx: Trx,
  auth: KeyDeps,
  caller: Caller,
  wanted: { name: string; permissions: Grant[]; expiresAt: Date | null },
): Promise<IssuedKey> {
  const now = auth.clock.now()
  // Negated, so that an invalid date, such as a leap second, is rejected too.
  if (wanted.expiresAt !== null && !(wanted.expiresAt > now)) throw endsInThePast()
  // Locked, so that the second of two concurrent requests counts the key of the first.
  const { user: owner, sessionId } = await lockCaller(trx, auth, caller)
  const beyond = grantsBeyondRole(wanted.permissions, owner)
  if (beyond.length > 0) {
    throw authProblems.insufficient_role(`Your own role does not include: ${beyond.join(', ')}.`)
  }
  if ((await countUsableKeys(trx, owner.id, now)) >= MAX_KEYS) throw authProblems.too_many_api_keys()
  await limitIssuing(trx, owner, now)
  const { key, secret } = newSecret(auth.config)
  const record = await insertApiKey(trx, { id: newId('apiKey'), ownerId: owner.id, ...wanted, secret, at: now })
  const details = { key: record.id, permissions: wanted.permissions.join(' ') }
  const event = { userId: owner.id, sessionId, client: caller.client, details }
  await auth.audit.record(trx, { type: 'api_key_created', ...event })
  await mailSecurityNotice(trx, auth, owner.email, {
    subject: 'An API key was created',
    what: `An API key was created, with which programs can act in your name. It ${formOf(record)}.`,
  })
  return { record, key }
}

/**
 * Gives a key a new secret. The current secret stays valid for `overlapSeconds`; an older one becomes invalid at once,
 * so at most two secrets are valid. Id, name and permissions stay.
 *
 * @throws `api_key_not_found`, `api_key_expired`, `rate_limited`, `credential_not_accepted`
 */
export async function rotateKey(
  trx: Trx,
  auth: KeyDeps,
  caller: Caller,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
): Promise<IssuedKey> {
  const now = auth.clock.now()
  const { user: owner, sessionId } = await lockCaller(trx, auth, caller)
  const present = await lockApiKey(trx, { id, ownerId: owner.id })
  if (present === undefined) throw authProblems.api_key_not_found()
  if (present.expiresAt !== null && present.expiresAt <= now) throw authProblems.api_key_expired()
  await limitIssuing(trx, owner, now)
  await auth.revocations.invalidate(trx, id)
  const { key, secret } = newSecret(auth.config)
  const record = await replaceSecret(trx, id, secret, addSeconds(now, overlapSeconds))
  const event = { userId: owner.id, sessionId, client: caller.client, details: { key: id, overlapSeconds } }
  await auth.audit.record(trx, { type: 'api_key_rotated', ...event })
  await mailSecurityNotice(trx, auth, owner.email, {
    subject: 'An API key was replaced',
    what: `One of your API keys has a new secret, which ${formOf(record)}.`,
  })
  return { record, key }
}

/** Revokes a key at once. @throws `api_key_not_found`, `credential_not_accepted` */
export async function revokeKey(auth: KeyDeps, caller: Caller, id: string): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    const { user: owner, sessionId } = await lockCaller(trx, auth, caller)
    await auth.revocations.invalidate(trx, id)
    const revoked = await setRevoked(trx, { id, ownerId: owner.id }, auth.clock.now())
    if (revoked === undefined) throw authProblems.api_key_not_found()
    const event = { userId: owner.id, sessionId, client: caller.client, details: { key: id } }
    await auth.audit.record(trx, { type: 'api_key_revoked', ...event })
    await mailSecurityNotice(trx, auth, owner.email, {
      subject: 'An API key was revoked',
      what: `One of your API keys was revoked and no longer works. It ${formOf(revoked)}.`,
    })
  })
}

/** Limits how many keys an account issues, because each key causes a row, a security event and a mail. */
async function limitIssuing(trx: Trx, { id: userId, role }: User, now: Date): Promise<void> {
  const operation = role === 'customer' ? 'issue_api_key' : 'issue_staff_api_key'
  await limitOperation(trx, { userId, operation }, now)
}

/**
 * Describes a key to its owner by its visible characters. The mail must not contain the name, which an attacker may
 * have written.
 */
function formOf({ start, last4 }: ApiKey): string {
  return `begins with ${start} and ends with ${last4}`
}

function newSecret({ paymentProvider }: KeyConfig['config']): { key: string; secret: StoredSecret } {
  const key = newApiKey({ isTest: paymentProvider === 'test' })
  return { key, secret: { hash: hashSecret(key), ...visiblePartsOf(key) } }
}

function endsInThePast() {
  const errors = [{ code: 'in_the_past', pointer: '/expiresAt', detail: 'Expected a timestamp in the future.' }]
  return httpProblems.validation_failed({ detail: 'The API key would already have expired.', errors })
}
