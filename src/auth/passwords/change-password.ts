import type { Caller } from '../caller.ts'
import { mailPasswordChanged } from '../mail/mails.ts'
import { dropEmailTokens } from '../mail/store.ts'
import { credentialNotAccepted } from '../problems.ts'
import { type AccountChangeDeps, endUserSessions } from '../sessions/end-sessions.ts'
import { limitOperation } from '../throttle/limit-operation.ts'
import { findUser, updateUser } from '../users/store.ts'
import { type ConfirmPasswordDeps, confirmPassword } from './confirm-password.ts'
import { type PolicyDeps, requireGoodPassword } from './policy.ts'

export type ChangePasswordDeps = ConfirmPasswordDeps & PolicyDeps & AccountChangeDeps

/**
 * Changes the caller's password. The caller's other sessions end, and all mailed tokens become invalid.
 *
 * @throws `current_password_wrong`, `password_rejected`, `login_blocked`, `rate_limited`, `sign_in_busy`
 */
export async function changePassword(
  auth: ChangePasswordDeps,
  caller: Caller,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  const { userId, sessionId } = caller
  await limitOperation(auth.db, { userId, operation: 'change_password' }, auth.clock.now())
  const owner = await findUser(auth.db, userId)
  if (owner === undefined) throw credentialNotAccepted()
  await requireGoodPassword(auth, newPassword, owner, '/newPassword')
  const confirmation = {
    password: currentPassword,
    pointer: '/currentPassword',
    // A wrong password counts, so that a client cannot have any number of passwords hashed.
    prepare: () => auth.hasher.hash(newPassword, { ip: caller.client.ip, account: userId }),
  }
  await confirmPassword(auth, caller, confirmation, async (trx, user, passwordHash) => {
    await updateUser(trx, userId, { passwordHash }, auth.clock.now())
    await dropEmailTokens(trx, userId)
    const sessions = await endUserSessions(trx, auth, { userId, except: sessionId }, 'credential_changed')
    const event = { userId, sessionId, client: caller.client }
    await auth.audit.record(trx, { type: 'password_changed', ...event, details: { sessions } })
    await mailPasswordChanged(trx, auth, user)
  })
}
