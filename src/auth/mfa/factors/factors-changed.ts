import type { Trx } from '../../../platform/db/index.ts'
import { type EndSessionsDeps, endUserSessions } from '../../sessions/end-sessions.ts'
import { refreshMfaMethods } from '../../users/mfa-methods.ts'
import { issueRecoveryCodesIfNone } from './recovery-codes.ts'
import { removeRecoveryCodes } from './store.ts'
/**
 * Updates an account after a factor or a passkey was confirmed or removed. It updates the list of second factors, ends
 * the other sessions and the pending sign-ins, and creates or removes recovery codes: an account has recovery codes
 * while it has a second factor. The caller must have locked the user.
 *
 * @param sessionId the session in which the change was made, which continues
 * @returns new recovery codes if they were created; otherwise undefined
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
