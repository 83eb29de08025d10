import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { deriveKey } from '../../../platform/sealed-box.ts'
import { loadSigningKey, requireSecret } from '../../keys/key-material.ts'
import type { SecretSource } from '../../keys/secret-file.ts'
import { listSigningKeys } from '../../keys/store.ts'
import { SEALING_KEY, sealEvents } from './seal.ts'
import type { ChainPoint } from './store.ts'
import { type RecordVerdict, verifyRecord } from './verify.ts'

/**
 * Verifies the log of security events in a database, after sealing all events. It uses the secret of the service.
 * The service may be running.
 *
 * @param knownHead sequence number and seal of an event that a previous verification printed
 * @throws with instructions if the secret is missing or does not match the database
 */
export async function checkRecord(
  { db, clock, secretFrom }: { db: Db; clock: Clock; secretFrom: SecretSource },
  knownHead: ChainPoint | undefined,
): Promise<RecordVerdict> {
  const secret = await requireSecret(secretFrom)
  // Fails if the secret is a different one. With a different secret, every seal would appear to be forged.
  for (const row of await listSigningKeys(db, clock.now())) await loadSigningKey(row, secret, secretFrom)
  const key = deriveKey(secret, SEALING_KEY)
  await sealEvents(db, key, { wait: true })
  return verifyRecord(db, key, knownHead)
}
