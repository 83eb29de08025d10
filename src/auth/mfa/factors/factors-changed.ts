import type { Trx } from '../../../platform/db/index.ts'
import { type EndSessionsDeps, endUserSessions } from '../../sessions/end-sessions.ts'
import { refreshMfaMethods } from '../../users/mfa-methods.ts'
import { issueRecoveryCodesIfNone } from './recovery-codes.ts'
import { removeRecoveryCodes } from './store.ts'
/**
 * Brings an account in line after a factor or a passkey was confirmed or removed: sign-ins ask for what there is now,
 * the other sessions and sign-ins under way end, and recovery codes come with the first factor and go with the last.
 * The user is locked by the caller.
 *
 * @param sessionId the session in which it was done
 * @returns the recovery codes, with the first factor
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
