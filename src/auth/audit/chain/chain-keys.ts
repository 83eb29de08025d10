import { createHmac } from 'node:crypto'
import { seal, unsealWithAny } from '../../../platform/cryptography/sealed-box.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import { insertKeyChange, listKeyChanges, setEarlierKey } from './store.ts'

/** Purpose for which `keys.derive` derives the sealing key. */
export const SEALING_KEY = 'platen security events 1'

/** Purpose for which the encryption key of earlier sealing keys is derived. */
const EARLIER_KEYS = 'platen earlier security event keys 1'

/**
 * Returns the key that seals the next events. Call it with the chain locked, because a rotation of the secret changes
 * the key in a transaction that locks the chain.
 *
 * @throws if this process does not know the secret from which the key is derived, because the secret was rotated a moment
 * ago
 */
export async function requireSealingKey(trx: Trx, keys: KeyDerivation): Promise<Buffer> {
  const last = (await listKeyChanges(trx)).at(-1)
  const known = keys.deriveAll(SEALING_KEY)
  const key = last === undefined ? known[0] : known.find((one) => idOf(one) === last.keyId)
  if (key === undefined) throw new Error('the security events are sealed with a secret that this process does not know')
  return key
}

/** The keys of a chain. */
export interface ChainKeys {
  /** The key that seals the start and the next events. */
  current: Buffer
  /** Returns the key that sealed the event with this sequence. */
  of(sequence: number): Buffer
}

/** Reads the keys of all events that are sealed now. @throws see `requireSealingKey` */
export async function readChainKeys(trx: Trx, keys: KeyDerivation): Promise<ChainKeys> {
  const changes = await listKeyChanges(trx)
  const earlier = changes.map(({ keyId, lastSequence, earlierKeyEncrypted }) => ({
    lastSequence,
    key: unsealWithAny(keys.deriveAll(EARLIER_KEYS), earlierKeyEncrypted, keyId),
  }))
  const current = await requireSealingKey(trx, keys)
  return { current, of: (sequence) => earlier.find(({ lastSequence }) => sequence <= lastSequence)?.key ?? current }
}

/**
 * Seals the next events with a new key. Later seals depend on the last one of the earlier key, so the knowledge of that
 * key does not allow to change events that it has sealed. Call it with the chain locked and all events sealed.
 *
 * @param from keys of the secret until now
 * @param to keys of the new secret
 */
export async function changeSealingKey(
  trx: Trx,
  { from, to, lastSequence, at }: { from: KeyDerivation; to: KeyDerivation; lastSequence: number; at: Date },
): Promise<void> {
  const encrypt = (key: Buffer, keyId: string) => seal(to.derive(EARLIER_KEYS), key, keyId)
  for (const { position, keyId, earlierKeyEncrypted } of await listKeyChanges(trx)) {
    const key = unsealWithAny(from.deriveAll(EARLIER_KEYS), earlierKeyEncrypted, keyId)
    await setEarlierKey(trx, position, encrypt(key, keyId))
  }
  const keyId = idOf(to.derive(SEALING_KEY))
  const earlier = encrypt(from.derive(SEALING_KEY), keyId)
  await insertKeyChange(trx, { keyId, lastSequence, earlierKeyEncrypted: earlier }, at)
}

function idOf(key: Buffer): string {
  return createHmac('sha256', key).update('platen key id').digest('hex').slice(0, 16)
}

/** Reads a consistent state of the chain. */
export function inOneState<T>(db: Db, read: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').execute(read)
}
