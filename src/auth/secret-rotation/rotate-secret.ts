import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { DatabasePool, Db, Trx } from '../../platform/db/index.ts'
import { createAudit } from '../audit/audit.ts'
import { changeSealingKey, requireSealingKey, SEALING_KEY } from '../audit/chain/chain-keys.ts'
import { sealBatch, sealOfStart } from '../audit/chain/seal.ts'
import { lockChain, readChainEnd, readChainStart, setStartProof } from '../audit/chain/store.ts'
import { encryptAgain, type LoadedKey, loadSigningKey, requireSecrets } from '../keys/key-material.ts'
import { createKeyring, ownSecretOf } from '../keys/keyring.ts'
import { ensureNextSecret, promoteNextSecret, type SecretSource } from '../keys/secret-file.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import { KEYS_CHANGED } from '../keys/signing-keys.ts'
import { listSigningKeys, lockKeyCreation, setPrivateKey } from '../keys/store.ts'
import { notify } from '../revocation/revocation-cache.ts'
import { type EncryptedAgain, type EncryptedColumn, encryptColumnAgain } from './encrypted-columns.ts'
import { withRotationLock } from './rotation-lock.ts'

/** Time in which every process reads its keys again. Revocations apply within one second. */
const SETTLE_MS = 2_000

export type RotationStep =
  | 'secret_created'
  | 'secret_published'
  | 'secret_in_use'
  | 'values_encrypted'
  | 'secret_replaced'

export interface SecretRotationDeps {
  database: Pick<DatabasePool, 'db' | 'openApart'>
  clock: Clock
  secretFrom: SecretSource
  columns: readonly EncryptedColumn[]
  /** Called after each step. A process that is killed there loses nothing: the next rotation continues. */
  onStep?(step: RotationStep): void
  settleMs?: number
}

export type SecretRotation =
  | ({ status: 'rotated' } & EncryptedAgain)
  /** Another process rotates the secret or makes a backup. */
  | { status: 'busy' }
  /** The secret is a setting, and the settings contain no new one. */
  | { status: 'no_new_secret' }
  /** No keys exist yet: the service has never started on this database. */
  | { status: 'no_keys' }

/**
 * Replaces the secret of the service, or completes a rotation that was interrupted. The service may be running.
 *
 * 1. A new secret is stored beside the present one, and all processes read both.
 * 2. The signing keys are encrypted with the new secret in one transaction. Every process then encrypts with it and
 *    decrypts with both.
 * 3. All other values are encrypted again, until a pass that began after every process knew finds none.
 * 4. The file of the new secret replaces that of the earlier one.
 *
 * Before step 4, both secrets are stored durably. After it, no value needs the earlier one.
 *
 * @throws with instructions if the secrets do not match the database
 */
export async function rotateSecret(deps: SecretRotationDeps): Promise<SecretRotation> {
  const { secretKey, previousSecretKey } = deps.secretFrom
  if (secretKey !== undefined && previousSecretKey === undefined) return { status: 'no_new_secret' }
  const locked = await withRotationLock(deps.database, { isShared: false }, () => rotate(deps))
  return locked === undefined ? { status: 'busy' } : locked.result
}

async function rotate(deps: SecretRotationDeps): Promise<SecretRotation> {
  const { database, clock, secretFrom, onStep, settleMs = SETTLE_MS } = deps
  const { db } = database
  if ((await listSigningKeys(db, clock.now())).length === 0) return { status: 'no_keys' }
  const target = await prepareTarget(secretFrom)
  onStep?.('secret_created')
  await publish(db)
  await delay(settleMs)
  onStep?.('secret_published')
  await db.transaction().execute((trx) => changeSecret(trx, deps, target))
  onStep?.('secret_in_use')
  const keys = createKeyring(target, await requireSecrets(secretFrom))
  const encrypted = await encryptAll(deps, keys, settleMs)
  onStep?.('values_encrypted')
  if (secretFrom.secretKey === undefined) await promoteNextSecret(secretFrom.dataDir)
  onStep?.('secret_replaced')
  await publish(db)
  return { status: 'rotated', ...encrypted }
}

async function prepareTarget({ dataDir, secretKey }: SecretSource): Promise<Buffer> {
  return secretKey === undefined ? ensureNextSecret(dataDir) : Buffer.from(secretKey, 'base64url')
}

/** Makes all processes read the secrets and the signing keys again. */
async function publish(db: Db): Promise<void> {
  await db.transaction().execute((trx) => notify(trx, KEYS_CHANGED))
}

/** Makes the target the secret with which all processes encrypt and sign, unless it is already. */
async function changeSecret(trx: Trx, deps: SecretRotationDeps, target: Buffer): Promise<void> {
  const { clock, secretFrom } = deps
  const at = clock.now()
  await lockKeyCreation(trx)
  const secrets = await requireSecrets(secretFrom)
  const loaded = await Promise.all(
    (await listSigningKeys(trx, at)).map((row) => loadSigningKey(row, secrets, secretFrom)),
  )
  const present = ownSecretOf(loaded)
  if (present === undefined || present.equals(target)) return
  await encryptKeys(trx, loaded, target)
  await changeChain(trx, createKeyring(present, secrets), createKeyring(target, secrets), at)
  const event = { type: 'service_secret_rotated', userId: null, actor: 'operator', client: null } as const
  await createAudit({ clock }).record(trx, event)
  await notify(trx, KEYS_CHANGED)
}

async function encryptKeys(trx: Trx, loaded: readonly LoadedKey[], target: Buffer): Promise<void> {
  for (const key of loaded) {
    const encrypted = encryptAgain(key, target)
    if (encrypted !== null) await setPrivateKey(trx, key.row.kid, encrypted)
  }
}

/** Seals all events with the earlier key. Later events and the start of the chain get seals of the new key. */
async function changeChain(trx: Trx, from: KeyDerivation, to: KeyDerivation, at: Date): Promise<void> {
  await lockChain(trx)
  await requireSealingKey(trx, from)
  while (((await sealBatch(trx, from, { wait: true })) ?? 0) > 0);
  const start = await readChainStart(trx)
  const last = (await readChainEnd(trx)) ?? start
  await changeSealingKey(trx, { from, to, lastSequence: last?.sequence ?? 0, at })
  if (start !== undefined) await setStartProof(trx, sealOfStart(to.derive(SEALING_KEY), start))
}

/**
 * Encrypts all values again. A process that had not read the new secret yet may have encrypted a value with the earlier
 * one during the first pass, so the last pass begins later than that.
 */
async function encryptAll(
  { database, columns }: SecretRotationDeps,
  keys: KeyDerivation,
  settleMs: number,
): Promise<EncryptedAgain> {
  const first = await encryptOnce(database.db, columns, keys)
  await delay(settleMs)
  let changed = first.changed
  for (;;) {
    await waitForWriters(database.db, columns)
    const pass = await encryptOnce(database.db, columns, keys)
    changed += pass.changed
    if (pass.changed === 0) return { changed, unreadable: pass.unreadable }
  }
}

async function encryptOnce(db: Db, columns: readonly EncryptedColumn[], keys: KeyDerivation): Promise<EncryptedAgain> {
  const sum: EncryptedAgain = { changed: 0, unreadable: 0 }
  for (const column of columns) {
    const { changed, unreadable } = await encryptColumnAgain(db, column, keys)
    sum.changed += changed
    sum.unreadable += unreadable
  }
  return sum
}

/** Waits until the transactions have ended that have written to the tables. Their values are visible then. */
async function waitForWriters(db: Db, columns: readonly EncryptedColumn[]): Promise<void> {
  for (const table of new Set(columns.map((column) => column.table))) {
    await db.transaction().execute((trx) => sql`lock table ${sql.table(table)} in share mode`.execute(trx))
  }
}
