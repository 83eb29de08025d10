import type { Caller } from '../caller.ts'
import { mailSecurityNotice } from '../mail/notices.ts'
import { factorsChanged } from '../mfa/factors/factors-changed.ts'
import { authProblems } from '../problems.ts'
import type { AccountChangeDeps } from '../sessions/end-sessions.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { requireAnotherSignInMethod } from '../users/sign-in-methods.ts'
import { deletePasskey } from './webauthn/store.ts'
/**
 * Removes a passkey of the caller's account. The caller's other sessions end.
 *
 * @throws `credential_not_found`, also for a passkey of another user; `last_way_in`
 */
export async function removePasskey(auth: AccountChangeDeps, caller: Caller, id: string): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    const { user, sessionId } = await lockCaller(trx, auth, caller)
    const userId = user.id
    if (!(await deletePasskey(trx, { id, userId }))) throw authProblems.credential_not_found()
    await requireAnotherSignInMethod(trx, userId, { passkeyId: id })
    await factorsChanged(trx, auth, { userId, sessionId })
    const details = { passkey: id }
    await auth.audit.record(trx, { type: 'passkey_removed', userId, sessionId, client: caller.client, details })
    await mailSecurityNotice(trx, auth, user.email, {
      subject: 'A passkey was removed from your account',
      what: 'A passkey was removed from your account, and other devices were signed out.',
    })
  })
}
