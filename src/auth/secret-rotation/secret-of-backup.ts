import type { DatabasePool, Db } from '../../platform/db/index.ts'
import { loadSigningKey } from '../keys/key-material.ts'
import { createKeyring } from '../keys/keyring.ts'
import { readSecrets, type SecretSource } from '../keys/secret-file.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import { listSigningKeys } from '../keys/store.ts'
import { countForeign, type EncryptedColumn } from './encrypted-columns.ts'
import { withRotationLock } from './rotation-lock.ts'

export interface SecretDeps {
  database: Pick<DatabasePool, 'db'>
  secretFrom: SecretSource
  columns: readonly EncryptedColumn[]
  at: Date
}

interface LockedDeps extends SecretDeps {
  database: Pick<DatabasePool, 'db' | 'openApart'>
}

/** @param secret the secret that decrypts everything in the database. Undefined: there is none */
type Work<T> = (secret: Buffer | undefined) => Promise<T>

/**
 * Runs work with the one secret that decrypts everything in the database. No process rotates the secret in the meantime.
 *
 * @returns undefined if a rotation runs or was interrupted, so that the database needs two secrets
 */
export async function withSettledSecret<T>(deps: LockedDeps, work: Work<T>): Promise<{ result: T } | undefined> {
  const locked = await withRotationLock(deps.database, { isShared: true }, async () => {
    const secrets = await readSecrets(deps.secretFrom)
    const secret = secrets.length > 1 ? await findCommonSecret(deps, secrets) : secrets[0]
    return secrets.length > 1 && secret === undefined ? undefined : { result: await work(secret) }
  })
  return locked?.result
}

/** Finds the one of these secrets that decrypts everything in a database that any of them decrypts. */
export async function findCommonSecret(deps: SecretDeps, secrets: readonly Buffer[]): Promise<Buffer | undefined> {
  const { db } = deps.database
  for (const secret of secrets) {
    const opensKeys = await decryptsSigningKeys(deps, [secret])
    if (opensKeys && (await decryptsColumns(db, deps.columns, secret, secrets))) return secret
  }
  return undefined
}

/** Tells whether these secrets together decrypt all signing keys. */
export async function decryptsSigningKeys(
  { database, secretFrom, at }: SecretDeps,
  secrets: readonly Buffer[],
): Promise<boolean> {
  const rows = await listSigningKeys(database.db, at)
  return Promise.all(rows.map((row) => loadSigningKey(row, secrets, secretFrom))).then(
    () => true,
    () => false,
  )
}

/** Returns whether a secret decrypts all values that any of the secrets decrypts. */
async function decryptsColumns(
  db: Db,
  columns: readonly EncryptedColumn[],
  secret: Buffer,
  secrets: readonly Buffer[],
): Promise<boolean> {
  const count = async (keys: KeyDerivation): Promise<number> => {
    let sum = 0
    for (const column of columns) sum += await countForeign(db, column, keys)
    return sum
  }
  return (await count(createKeyring(secret, [secret]))) === (await count(createKeyring(secret, secrets)))
}
