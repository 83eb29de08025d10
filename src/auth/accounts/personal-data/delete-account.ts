import { addSeconds } from '../../../platform/clock.ts'
import { httpProblems } from '../../../platform/http/core/problems.ts'
import { forgetAnswersFor } from '../../../platform/http/idempotency/idempotency.ts'
import { enqueue } from '../../../platform/jobs.ts'
import { withdrawMessages } from '../../../platform/mail.ts'
import type { Caller } from '../../caller.ts'
import { mailAccountDeleted } from '../../mail/mails.ts'
import { authProblems } from '../../problems.ts'
import type { AccountChangeDeps } from '../../sessions/end-sessions.ts'
import { lockCaller } from '../../sessions/lock-caller.ts'
import { accountBucketName } from '../../throttle/buckets.ts'
import { dropOperations } from '../../throttle/limit-operation.ts'
import { clearBuckets } from '../../throttle/store.ts'
import { leaveEmailAddress } from '../../users/former-use.ts'
import { findUser, lockAdministrators } from '../../users/store.ts'
import { removeCredentials } from '../remove-credentials.ts'
import { type EraseDeps, eraseClosedAccount } from './erase-data.ts'
import { anonymizeUser, deleteTraces, listPhoneNumbers } from './store.ts'

export type DeleteAccountDeps = AccountChangeDeps & EraseDeps

/** Name of the job that erases the data of one closed account, or of all if its payload names none. */
export const ERASE_JOB = 'auth.erase'

/** The request that deletes the account usually completes the erasure before this job runs. */
const ERASE_AFTER_SECONDS = 60

/**
 * Deletes the caller's account. A first transaction closes it: every credential stops working. Then all personal data
 * is erased in batches, except the postal addresses of open orders, which are erased when the orders end. If the
 * erasure fails or the process dies, a job continues it.
 *
 * @throws `last_administrator`, `credential_not_accepted` if the session ended during the request
 */
export async function deleteAccount(auth: DeleteAccountDeps, caller: Caller): Promise<void> {
  const { userId } = caller
  await closeAccount(auth, caller)
  try {
    await eraseClosedAccount(auth, userId)
  } catch (error) {
    auth.log.error({ err: error, userId }, 'erasing the data of a deleted account failed; a job tries again')
  }
}

async function closeAccount(auth: DeleteAccountDeps, caller: Caller): Promise<void> {
  const { userId } = caller
  await auth.db.transaction().execute(async (trx) => {
    const isAdministrator = (await findUser(trx, userId))?.role === 'admin'
    // Every transaction that changes the number of administrators locks all of them first, in the same order.
    const administrators = isAdministrator ? await lockAdministrators(trx) : []
    const { user, sessionId } = await lockCaller(trx, auth, caller)
    // The caller became an administrator after the first read. Locking the others at this point could deadlock.
    if (user.role === 'admin' && !isAdministrator) {
      throw httpProblems.service_unavailable({ headers: { 'Retry-After': '1' } })
    }
    if (administrators.length === 1 && administrators[0] === userId) throw authProblems.last_administrator()
    const at = auth.clock.now()
    const recipients = [user.email, ...(await listPhoneNumbers(trx, userId))]
    await clearBuckets(trx, accountBucketName(user.email), at)
    await removeCredentials(trx, auth, userId, 'deleted')
    await deleteTraces(trx, userId)
    await dropOperations(trx, userId)
    await forgetAnswersFor(trx, userId)
    await withdrawMessages(trx, recipients)
    await leaveEmailAddress(trx, auth, user)
    await anonymizeUser(trx, userId, at)
    await auth.audit.record(trx, { type: 'account_deleted', userId, sessionId, client: null })
    await mailAccountDeleted(trx, auth, user.email)
    const runAt = addSeconds(at, ERASE_AFTER_SECONDS)
    await enqueue(trx, ERASE_JOB, { userId }, { key: `${ERASE_JOB}/${userId}`, runAt })
  })
}
