import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { openKeyring } from '../../keys/keyring.ts'
import type { SecretSource } from '../../keys/secret-file.ts'
import { sealEvents } from './seal.ts'
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
  // Fails if the secret is a different one. With a different secret, every seal would appear to be forged.
  const keys = await openKeyring(db, secretFrom, clock.now())
  await sealEvents(db, keys, { wait: true })
  return verifyRecord(db, keys, knownHead)
}
