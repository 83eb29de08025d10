import { changeOwnQuota, findOwnQuota } from '../../../platform/storage/index.ts'
import type { Caller } from '../../caller.ts'
import { authProblems } from '../../problems.ts'
import type { SessionDeps } from '../../sessions/end-sessions.ts'
import { lockUser } from '../../users/store.ts'
import { lockAdministrator } from '../lock-administrator.ts'

/**
 * Gives an account a storage quota of its own, or the default again. It applies to the next upload or save.
 *
 * @param quota in bytes; null for the default
 * @throws `user_not_found`; `credential_not_accepted` and `insufficient_role` if the caller has just lost the
 * administrator role
 */
export async function changeStorageQuota(
  auth: SessionDeps,
  caller: Caller,
  userId: string,
  quota: number | null,
): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    const { actor, sessionId } = await lockAdministrator(trx, auth, caller)
    const user = await lockUser(trx, userId, 'share')
    if (user === undefined || user.deletedAt !== null) throw authProblems.user_not_found()
    const quotaBefore = await findOwnQuota(trx, userId)
    if (quotaBefore === quota) return
    const details = { quotaBefore, quota }
    const { client } = caller
    await auth.audit.record(trx, { type: 'storage_quota_changed', userId, actor: actor.id, sessionId, client, details })
    await changeOwnQuota(trx, userId, quota)
  })
}
