import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { deriveKey } from '../../../platform/sealed-box.ts'
import { loadSigningKey, requireSecret } from '../../keys/key-material.ts'
import { listSigningKeys } from '../../keys/store.ts'
import { SEALING_KEY, sealEvents } from './seal.ts'
import type { ChainPoint } from './store.ts'
import { type RecordVerdict, verifyRecord } from './verify.ts'

/**
 * Checks the record of security events of a database, with the secret in a data folder; what is not sealed yet is sealed
 * first. The service may run meanwhile.
 *
 * @param knownHead the end of the chain as it was noted earlier
 * @throws with instructions when the secret is missing or another
 */
export async function checkRecord(
  { db, clock, dataDir }: { db: Db; clock: Clock; dataDir: string },
  knownHead: ChainPoint | undefined,
): Promise<RecordVerdict> {
  const secret = await requireSecret(dataDir)
  // With another secret than the service's every row would look forged.
  for (const row of await listSigningKeys(db, clock.now())) await loadSigningKey(row, secret, dataDir)
  const key = deriveKey(secret, SEALING_KEY)
  await sealEvents(db, key, { wait: true })
  return verifyRecord(db, key, knownHead)
}
