import { addSeconds } from '../../../platform/clock.ts'
import type { Trx } from '../../../platform/db/index.ts'
import { forgetAnswersFor } from '../../../platform/http/idempotency/idempotency.ts'
import { enqueue } from '../../../platform/jobs/jobs.ts'
import { closeUsage } from '../../../platform/storage/index.ts'
import type { EndSessionsDeps } from '../../sessions/end-sessions.ts'
import { dropOperations } from '../../throttle/limit-operation.ts'
import { removeCredentials } from '../remove-credentials.ts'
import { anonymizeUser, deleteTraces } from './store.ts'

/** Name of the job that erases the data of one closed account, or of all if its payload names none. */
export const ERASE_JOB = 'auth.erase'

/** Usually the request has erased everything by then. */
const ERASE_AFTER_SECONDS = 60

/**
 * Ends every credential of a user, removes what identifies the user, and schedules the erasure of the data. The caller
 * has locked the user.
 */
export async function closeUser(trx: Trx, auth: EndSessionsDeps, userId: string): Promise<void> {
  const at = auth.clock.now()
  await removeCredentials(trx, auth, userId, 'deleted')
  await deleteTraces(trx, userId)
  await dropOperations(trx, userId)
  await forgetAnswersFor(trx, userId)
  await anonymizeUser(trx, userId, at)
  const runAt = addSeconds(at, ERASE_AFTER_SECONDS)
  // One after another, so that accounts with many records do not take the places of all jobs.
  await enqueue(trx, ERASE_JOB, { userId }, { key: `${ERASE_JOB}/${userId}`, runAt, queue: ERASE_JOB })
  await closeUsage(trx, userId)
}
