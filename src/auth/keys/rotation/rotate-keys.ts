import { addSeconds, type Clock } from '../../../platform/clock.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { type Administrator, recordAdminAct } from '../../audit/admin-acts.ts'
import { type Audit, createAudit } from '../../audit/audit.ts'
import { notify } from '../../revocation/revocation-cache.ts'
import { createSigningKey, loadSigningKey, requireSecrets } from '../key-material.ts'
import { ownSecretOf } from '../keyring.ts'
import type { SecretSource } from '../secret-file.ts'
import { JWKS_MAX_AGE_SECONDS, KEYS_CHANGED } from '../signing-keys.ts'
import {
  type KeyPurpose,
  listSigningKeys,
  lockKeyCreation,
  promoteNextKey,
  revokeSigningKeys,
  type SigningKeyRow,
} from '../store.ts'

/** Time after which every client has the next key: the maximum age of a cached key set, and a minute more. */
const PUBLISHED_BEFORE_USE_SECONDS = JWKS_MAX_AGE_SECONDS + 60

export interface RotationRequest {
  purposes: readonly KeyPurpose[]
  /** Rotate even if clients may not have the next key yet. */
  isForced: boolean
  /** Reject signatures of the previous keys from now on, for keys that may have leaked. Implies `isForced`. */
  revoke: boolean
  /** Who rotates. Default: an operator on the command line. */
  administrator?: Administrator
}

export interface RotatedKey {
  purpose: KeyPurpose
  /**
   * Name of the key that was used for signing before the rotation. `current` is used now, and `next` after the next
   * rotation.
   */
  retired: string
  current: string
  next: string
  /** Names of the keys whose signatures are now rejected. */
  revoked: string[]
}

export type Rotation =
  | { status: 'rotated'; keys: RotatedKey[] }
  /** Clients may not have the next key yet, so the rotation changed nothing. */
  | { status: 'too_early'; purpose: KeyPurpose; readyAt: Date }

interface RotationDeps {
  db: Db
  clock: Clock
  secretFrom: SecretSource
  /** Default: a record that the next start of the service seals. */
  audit?: Audit
}

/**
 * Rotates the signing keys of all given purposes, or of none: retires each current key, uses the next key from now on,
 * and publishes a new next key. Existing signatures stay valid unless the keys are revoked. Every node follows within a
 * second.
 *
 * @throws with instructions if the secret is missing or does not match
 */
export async function rotateSigningKeys(deps: RotationDeps, request: RotationRequest): Promise<Rotation> {
  return deps.db.transaction().execute(async (trx) => {
    await lockKeyCreation(trx)
    const now = deps.clock.now()
    const known = await listSigningKeys(trx, now)
    if (known.length === 0) throw new Error('No signing keys exist yet. The service creates them at its first start.')
    const secrets = await requireSecrets(deps.secretFrom)
    // If the secret did not match and new keys were encrypted with it, no node could start.
    const loaded = await Promise.all(known.map((row) => loadSigningKey(row, secrets, deps.secretFrom)))
    const secret = ownSecretOf(loaded) ?? secrets[0]
    const pairs = request.purposes.map((purpose) => findPair(known, purpose))
    const early = request.isForced || request.revoke ? undefined : pairs.find(({ readyAt }) => now < readyAt)
    if (early !== undefined) return { status: 'too_early', purpose: early.purpose, readyAt: early.readyAt }
    const keys: RotatedKey[] = []
    for (const pair of pairs) {
      keys.push(request.revoke ? await revoke(trx, secret, pair, now) : await rotate(trx, secret, pair, now))
    }
    await record(trx, deps.audit ?? createAudit({ clock: deps.clock }), keys, request.administrator)
    await notify(trx, KEYS_CHANGED)
    return { status: 'rotated', keys }
  })
}

interface Pair {
  purpose: KeyPurpose
  current: string
  next: string
  /** When all clients have the next key, so that it may be used for signing. */
  readyAt: Date
}

function findPair(known: readonly SigningKeyRow[], purpose: KeyPurpose): Pair {
  const ofPurpose = known.filter((key) => key.purpose === purpose)
  const current = ofPurpose.find((key) => key.state === 'current')
  const next = ofPurpose.find((key) => key.state === 'next')
  if (current === undefined || next === undefined) {
    throw new Error(`A key for ${purpose} is missing. The service creates it at its next start.`)
  }
  const readyAt = addSeconds(next.createdAt, PUBLISHED_BEFORE_USE_SECONDS)
  return { purpose, current: current.kid, next: next.kid, readyAt }
}

async function rotate(trx: Trx, secret: Buffer, { purpose, current, next }: Pair, now: Date): Promise<RotatedKey> {
  await promoteNextKey(trx, purpose, now)
  const afterwards = await createSigningKey(trx, secret, { purpose, state: 'next' }, now)
  return { purpose, retired: current, current: next, next: afterwards, revoked: [] }
}

/**
 * Replaces the current and the next key. Both are stored together, so an attacker who has one of them has the other,
 * too.
 */
async function revoke(trx: Trx, secret: Buffer, { purpose, current }: Pair, now: Date): Promise<RotatedKey> {
  const revoked = await revokeSigningKeys(trx, purpose, now)
  const fresh = await createSigningKey(trx, secret, { purpose, state: 'current' }, now)
  const next = await createSigningKey(trx, secret, { purpose, state: 'next' }, now)
  return { purpose, retired: current, current: fresh, next, revoked }
}

async function record(
  trx: Trx,
  audit: Audit,
  keys: readonly RotatedKey[],
  administrator: Administrator | undefined,
): Promise<void> {
  for (const { purpose, retired, current, revoked } of keys) {
    const details = { purpose, retired, current, revoked: revoked.length }
    if (administrator !== undefined) await recordAdminAct(audit, trx, administrator, details, 'signing_keys_rotated')
    else
      await audit.record(trx, { type: 'signing_keys_rotated', userId: null, actor: 'operator', client: null, details })
  }
}
