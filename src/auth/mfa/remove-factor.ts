import type { Caller } from '../caller.ts'
import { isId } from '../ids.ts'
import { mailSecurityNotice } from '../mail/notices.ts'
import { authProblems } from '../problems.ts'
import { type AccountChangeDeps, endUserSessions } from '../sessions/end-sessions.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { factorsChanged } from './factors/factors-changed.ts'
import { replaceRecoveryCodes } from './factors/recovery-codes.ts'
import { deleteFactor, findFactor } from './factors/store.ts'
/**
 * Removes a second factor of the caller. Removing the last factor also removes the recovery codes. The caller's other
 * sessions end, unless the factor was never confirmed.
 *
 * @throws `factor_not_found`, also for a factor of another user
 */
export async function removeFactor(auth: AccountChangeDeps, caller: Caller, id: string): Promise<void> {
  if (!isId('factor', id)) throw authProblems.factor_not_found()
  await auth.db.transaction().execute(async (trx) => {
    const { user, sessionId } = await lockCaller(trx, auth, caller)
    const userId = user.id
    const factor = await findFactor(trx, { id, userId })
    if (factor === undefined) throw authProblems.factor_not_found()
    await deleteFactor(trx, { id, userId })
    const isEnabled = factor.confirmedAt !== null
    const event = { userId, sessionId, client: caller.client, method: factor.method }
    await auth.audit.record(trx, { type: 'factor_removed', ...event, details: { factor: id, wasEnabled: isEnabled } })
    if (!isEnabled) return
    await factorsChanged(trx, auth, { userId, sessionId })
    await mailSecurityNotice(trx, auth, user.email, {
      subject: 'A second factor was removed from your account',
      what: `${NAMES[factor.method]} was removed from your account, and other devices were signed out.`,
    })
  })
}

const NAMES = { totp: 'The authenticator app', sms: 'The telephone number' } as const

/**
 * Replaces the caller's recovery codes. The old codes stop working, and the caller's other sessions end.
 *
 * @throws `mfa_not_enabled`
 */
export async function renewRecoveryCodes(auth: AccountChangeDeps, caller: Caller): Promise<string[]> {
  return auth.db.transaction().execute(async (trx) => {
    const { user, sessionId } = await lockCaller(trx, auth, caller)
    const userId = user.id
    if (user.mfaMethods.length === 0) throw authProblems.mfa_not_enabled()
    const codes = await replaceRecoveryCodes(trx, userId)
    await endUserSessions(trx, auth, { userId, except: sessionId }, 'credential_changed')
    await auth.audit.record(trx, { type: 'recovery_codes_replaced', userId, sessionId, client: caller.client })
    await mailSecurityNotice(trx, auth, user.email, {
      subject: 'You have new recovery codes',
      what: 'New recovery codes were created for your account. The old ones no longer work, and other devices were signed out.',
    })
    return codes
  })
}
