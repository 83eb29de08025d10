import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { deriveKey } from '../../../platform/sealed-box.ts'
import { loadSigningKey, requireSecret } from '../../keys/key-material.ts'
import { listSigningKeys } from '../../keys/store.ts'
import { SEALING_KEY, sealEvents } from './seal.ts'
import type { ChainPoint } from './store.ts'
import { type RecordVerdict, verifyRecord } from './verify.ts'

/**
 * Verifies the log of security events in a database with the secret in a data folder, after sealing all events. The
 * service may be running.
 *
 * @param knownHead an end of the chain that was stored earlier
 * @throws with instructions if the secret is missing or does not match
 */
export async function checkRecord(
  { db, clock, dataDir }: { db: Db; clock: Clock; dataDir: string },
  knownHead: ChainPoint | undefined,
): Promise<RecordVerdict> {
  const secret = await requireSecret(dataDir)
  // Fails with a different secret, with which every seal would look forged.
  for (const row of await listSigningKeys(db, clock.now())) await loadSigningKey(row, secret, dataDir)
  const key = deriveKey(secret, SEALING_KEY)
  await sealEvents(db, key, { wait: true })
  return verifyRecord(db, key, knownHead)
}
