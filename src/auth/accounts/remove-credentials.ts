import type { Trx } from '../../platform/db/index.ts'
import { type EndSessionsDeps, endUserSessions } from '../sessions/end-sessions.ts'
import type { EndReason } from '../sessions/store.ts'
import { deleteSignInMethods, listKeyIds } from '../users/store.ts'
/**
 * Removes every credential of an account: password, sessions, API keys, factors, passkeys, linked identities, mailed
 * tokens and pending sign-ins. The caller must have locked the user.
 */
export async function removeCredentials(
  trx: Trx,
  auth: EndSessionsDeps,
  userId: string,
  reason: EndReason,
): Promise<void> {
  await endUserSessions(trx, auth, { userId, except: undefined }, reason)
  await auth.revocations.invalidate(trx, ...(await listKeyIds(trx, userId)))
  await deleteSignInMethods(trx, userId, auth.clock.now())
}
