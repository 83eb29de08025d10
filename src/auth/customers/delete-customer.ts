import { closeUser } from '../accounts/personal-data/close-user.ts'
import { closeAccountOf, type DeleteAccountDeps } from '../accounts/personal-data/delete-account.ts'
import { eraseOrLeaveToJob } from '../accounts/personal-data/erase-data.ts'
import type { Administrator } from '../audit/admin-acts.ts'
import { customerProblems } from '../problems.ts'
import { lockUser } from '../users/store.ts'
import { recordAct } from './manage-customers.ts'

/**
 * Deletes a customer as the owner of an account would delete it: everything ends at once, and the personal data is
 * erased, except that of open orders.
 *
 * @param mayDeleteAccounts whether the caller is an administrator in a session with a recent sign-in
 * @throws `customer_not_found`, `customer_has_account`
 */
export async function deleteCustomer(
  auth: DeleteAccountDeps,
  operator: Administrator,
  userId: string,
  { mayDeleteAccounts }: { mayDeleteAccounts: boolean },
): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, userId, 'update')
    if (user === undefined || user.deletedAt !== null || user.role !== 'customer')
      throw customerProblems.customer_not_found()
    if (user.kind !== 'account') await closeUser(trx, auth, userId)
    else if (mayDeleteAccounts) await closeAccountOf(trx, auth, user)
    else throw customerProblems.customer_has_account()
    await recordAct(trx, auth, operator, { type: 'customer_deleted', userId })
  })
  await eraseOrLeaveToJob(auth, userId, operator)
}
