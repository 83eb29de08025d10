import { deriveKey } from '../../platform/cryptography/sealed-box.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { type LoadedKey, loadSigningKey, requireSecrets } from './key-material.ts'
import type { SecretSource } from './secret-file.ts'
import type { KeyDerivation } from './secrets.ts'
import { listSigningKeys } from './store.ts'

/**
 * Derives keys from the secrets of the service.
 *
 * @param own the secret that encrypts and signs
 * @param known all secrets that decrypt and verify
 */
export function createKeyring(own: Buffer, known: readonly Buffer[]): KeyDerivation {
  const others = known.filter((secret) => !secret.equals(own))
  const derived = new Map<string, readonly [Buffer, ...Buffer[]]>()
  const deriveAll = (purpose: string): readonly [Buffer, ...Buffer[]] => {
    const existing = derived.get(purpose)
    if (existing !== undefined) return existing
    const keys = [deriveKey(own, purpose), ...others.map((secret) => deriveKey(secret, purpose))] as const
    derived.set(purpose, keys)
    return keys
  }
  return { derive: (purpose) => deriveAll(purpose)[0], deriveAll }
}

/**
 * Finds the secret that encrypts new values: the one with which the current signing keys are encrypted. A rotation
 * encrypts all of them in one transaction, so all nodes change the secret at the same time.
 */
export function ownSecretOf(keys: readonly LoadedKey[]): Buffer | undefined {
  return keys.find(({ row, secret }) => row.state === 'current' && secret !== undefined)?.secret
}

/**
 * Reads the secrets for a command, which uses them once.
 *
 * @throws with instructions if they are missing or do not match the database
 */
export async function openKeyring(db: Db | Trx, source: SecretSource, at: Date): Promise<KeyDerivation> {
  const secrets = await requireSecrets(source)
  const rows = await listSigningKeys(db, at)
  const keys = await Promise.all(rows.map((row) => loadSigningKey(row, secrets, source)))
  return createKeyring(ownSecretOf(keys) ?? secrets[0], secrets)
}
