import type { Caller } from '../caller.ts'
import { mailSecurityNotice } from '../mail/notices.ts'
import { type AccountChangeDeps, endUserSessions } from '../sessions/end-sessions.ts'
import { lockUser } from '../users/store.ts'
import { lockAdministrator } from './lock-administrator.ts'
import { requiredAccount } from './require-account.ts'

/**
 * Ends all sessions of a user, for example after a device was lost. The administrator's own session also ends if the
 * user is the administrator. API keys stay.
 *
 * @throws `user_not_found`, and the errors of `lockAdministrator`
 */
export async function endSessionsOfUser(auth: AccountChangeDeps, caller: Caller, userId: string): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    const { actor, sessionId } = await lockAdministrator(trx, auth, caller)
    const user = requiredAccount(await lockUser(trx, userId, 'update'))
    const sessions = await endUserSessions(trx, auth, { userId, except: undefined }, 'revoked')
    const event = { userId, actor: actor.id, sessionId, client: caller.client, details: { sessions } }
    await auth.audit.record(trx, { type: 'user_sessions_ended', ...event })
    if (sessions === 0) return
    await mailSecurityNotice(trx, auth, user.email, {
      subject: 'You were signed out',
      what: 'An administrator of this service ended all sessions of your account. Sign in again on your devices.',
    })
  })
}
