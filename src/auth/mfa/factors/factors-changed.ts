import type { Trx } from '../../../platform/db/index.ts'
import { type EndSessionsDeps, endUserSessions } from '../../sessions/end-sessions.ts'
import { refreshMfaMethods } from '../../users/mfa-methods.ts'
import { issueRecoveryCodesIfNone } from './recovery-codes.ts'
import { removeRecoveryCodes } from './store.ts'
/**
 * Updates an account after a factor or a passkey was confirmed or removed: its sign-in methods, its other sessions and
 * pending sign-ins, which end, and its recovery codes, which exist while a factor does. The caller must have locked the
 * user.
 *
 * @param sessionId the session of the change
 * @returns new recovery codes if the account had none before its first factor; otherwise undefined
 */
export async function factorsChanged(
  trx: Trx,
  auth: EndSessionsDeps,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<string[] | undefined> {
  const methods = await refreshMfaMethods(trx, userId)
  await endUserSessions(trx, auth, { userId, except: sessionId }, 'credential_changed')
  if (methods.length > 0) return issueRecoveryCodesIfNone(trx, userId)
  await removeRecoveryCodes(trx, userId)
  return undefined
}
