import { httpProblems } from '../../../platform/http/core/problems.ts'
import { forgetAnswersFor } from '../../../platform/http/idempotency/idempotency.ts'
import { withdrawMessages } from '../../../platform/mail.ts'
import type { Caller } from '../../caller.ts'
import { mailAccountDeleted } from '../../mail/mails.ts'
import { dropMailHistory } from '../../mail/store.ts'
import { authProblems } from '../../problems.ts'
import type { AccountChangeDeps } from '../../sessions/end-sessions.ts'
import { lockCaller } from '../../sessions/lock-caller.ts'
import { accountBucketName } from '../../throttle/buckets.ts'
import { dropOperations } from '../../throttle/limit-operation.ts'
import { clearBuckets } from '../../throttle/store.ts'
import { findUser, lockAdministrators } from '../../users/store.ts'
import { removeCredentials } from '../remove-credentials.ts'
import type { AccountData } from './account-data.ts'
import { eraseData } from './erase-data.ts'
import { anonymizeUser, deleteTraces, erasePersonalParts, listPhoneNumbers } from './store.ts'

export type DeleteAccountDeps = AccountChangeDeps & { accountData: readonly AccountData[] }

/**
 * Deletes the caller's account in one transaction. Every credential stops working, and all personal data is erased,
 * except the postal addresses of open orders, which are erased when the orders end.
 *
 * @throws `last_administrator`, `credential_not_accepted` if the session has ended meanwhile
 */
export async function deleteAccount(auth: DeleteAccountDeps, caller: Caller): Promise<void> {
  const { userId } = caller
  await auth.db.transaction().execute(async (trx) => {
    const isAdministrator = (await findUser(trx, userId))?.role === 'admin'
    // Every change of the number of administrators locks all of them first, in one order.
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
    await eraseData(trx, auth.accountData, userId, at)
    await deleteTraces(trx, userId)
    await dropOperations(trx, userId)
    await forgetAnswersFor(trx, userId)
    await withdrawMessages(trx, recipients)
    for (const recipient of [user.email, userId]) await dropMailHistory(trx, recipient)
    await anonymizeUser(trx, userId, at)
    await auth.audit.record(trx, { type: 'account_deleted', userId, sessionId, client: null })
    await erasePersonalParts(trx, userId)
    await mailAccountDeleted(trx, auth, user.email)
  })
}
