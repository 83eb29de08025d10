import type { Trx } from '../../../platform/db/index.ts'
import { httpProblems } from '../../../platform/http/core/problems.ts'
import { withdrawMessages } from '../../../platform/messages/mail.ts'
import type { Caller } from '../../caller.ts'
import { mailAccountDeleted } from '../../mail/mails.ts'
import { authProblems } from '../../problems.ts'
import type { AccountChangeDeps } from '../../sessions/end-sessions.ts'
import { lockCaller } from '../../sessions/lock-caller.ts'
import { accountBucketName } from '../../throttle/buckets.ts'
import { clearBuckets } from '../../throttle/store.ts'
import { leaveEmailAddress } from '../../users/former-use.ts'
import { findUser, lockAdministrators, type User } from '../../users/store.ts'
import { closeUser } from './close-user.ts'
import { type EraseDeps, eraseOrLeaveToJob } from './erase-data.ts'
import { listPhoneNumbers } from './store.ts'

export type DeleteAccountDeps = AccountChangeDeps & EraseDeps

/**
 * Deletes the caller's account. A first transaction closes it: every credential stops working. Then all personal data
 * is erased in batches, except the postal addresses of open orders, which are erased when the orders end. If the
 * erasure fails or the process dies, a job continues it.
 *
 * @throws `last_administrator`, `credential_not_accepted` if the session ended during the request
 */
export async function deleteAccount(auth: DeleteAccountDeps, caller: Caller): Promise<void> {
  await closeAccount(auth, caller)
  await eraseOrLeaveToJob(auth, caller.userId, caller)
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
    await closeAccountOf(trx, auth, user)
    await auth.audit.record(trx, { type: 'account_deleted', userId, sessionId, client: null })
  })
}

/** Closes an account in the transaction of its deletion, and tells its owner. The caller has locked the user. */
export async function closeAccountOf(trx: Trx, auth: DeleteAccountDeps, user: User): Promise<void> {
  const recipients = [user.email, ...(await listPhoneNumbers(trx, user.id))]
  await clearBuckets(trx, accountBucketName(user.email), auth.clock.now())
  await withdrawMessages(trx, recipients)
  await leaveEmailAddress(trx, auth, user)
  await closeUser(trx, auth, user.id)
  await mailAccountDeleted(trx, auth, user.email)
}
