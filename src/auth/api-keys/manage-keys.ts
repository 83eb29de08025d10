import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Principal } from '../../platform/http/principal.ts'
import { httpProblems } from '../../platform/http/problems.ts'
import { newId } from '../../platform/ids.ts'
import { notAccepted } from '../access/guards.ts'
import { type Grant, grantsBeyondRole } from '../access/permissions.ts'
import { lockUser } from '../accounts/store.ts'
import type { AuthContext } from '../context.ts'
import { authProblems } from '../problems.ts'
import { hashApiKey, KEY_PREFIX, newApiKey } from './key-format.ts'
import {
  type ApiKey,
  insertApiKey,
  type KeyAddress,
  lockApiKey,
  replaceSecret,
  type StoredSecret,
  setRevoked,
} from './store.ts'

type Managing = Pick<AuthContext, 'clock' | 'watch'>

export interface IssuedKey {
  record: ApiKey
  /** The secret itself; nothing but its hash is kept. */
  key: string
}

/**
 * Makes a key that acts as the person who is signed in.
 *
 * @throws `insufficient_role` for a permission that their own role lacks, `validation_failed` for an end in the past
 */
export async function createKey(
  trx: Trx,
  { clock }: Managing,
  principal: Principal,
  wanted: { name: string; permissions: Grant[]; expiresAt: Date | null },
): Promise<IssuedKey> {
  const now = clock.now()
  // Written so that a moment that does not exist, such as a leap second, is refused too.
  if (wanted.expiresAt !== null && !(wanted.expiresAt > now)) throw endsInThePast()
  const owner = await lockUser(trx, principal.userId, 'share')
  if (owner === undefined) throw notAccepted()
  const beyond = grantsBeyondRole(wanted.permissions, owner.role)
  if (beyond.length > 0) {
    throw authProblems.insufficient_role(`Your own role does not include: ${beyond.join(', ')}.`)
  }
  const { key, secret } = newSecret()
  const record = await insertApiKey(trx, { id: newId('apiKey'), ownerId: owner.id, ...wanted, secret, at: now })
  return { record, key }
}

/**
 * Gives a key a new secret; the present one works on for the overlap. Id, name and permissions stay. No more than two
 * secrets of a key ever work.
 *
 * @throws `api_key_not_found`, `api_key_expired`
 */
export async function rotateKey(
  trx: Trx,
  { clock, watch }: Managing,
  address: KeyAddress,
  overlapSeconds: number,
): Promise<IssuedKey> {
  const now = clock.now()
  const present = await lockApiKey(trx, address)
  if (present === undefined) throw authProblems.api_key_not_found()
  if (present.expiresAt !== null && present.expiresAt <= now) throw authProblems.api_key_expired()
  await watch.announce(trx, address.id)
  const { key, secret } = newSecret()
  return { record: await replaceSecret(trx, address.id, secret, addSeconds(now, overlapSeconds)), key }
}

/** Ends a key at once. @throws `api_key_not_found` */
export async function revokeKey({ db, clock, watch }: AuthContext, address: KeyAddress): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await watch.announce(trx, address.id)
    if (!(await setRevoked(trx, address, clock.now()))) throw authProblems.api_key_not_found()
  })
}

function newSecret(): { key: string; secret: StoredSecret } {
  const key = newApiKey()
  return { key, secret: { hash: hashApiKey(key), start: key.slice(0, KEY_PREFIX.length + 4), last4: key.slice(-4) } }
}

function endsInThePast() {
  const errors = [{ code: 'in_the_past', pointer: '/expiresAt', detail: 'Expected a moment in the future.' }]
  return httpProblems.validation_failed({ detail: 'The key would have expired already.', errors })
}
