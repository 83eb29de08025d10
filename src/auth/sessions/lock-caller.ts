import type { Clock } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Caller } from '../caller.ts'
import { credentialNotAccepted } from '../problems.ts'
import { lockUser, type User } from '../users/store.ts'
import { isSessionOpen } from './store.ts'
/**
 * Locks the user of the caller before a change of credentials, and checks the session again. After the guard checked
 * it, another request, such as a change of the password, may have ended it.
 *
 * @throws `credential_not_accepted`
 */
export async function lockCaller(
  trx: Trx,
  { clock }: { clock: Clock },
  caller: Caller,
): Promise<{ user: User; sessionId: string }> {
  const { userId, sessionId } = caller
  const user = await lockUser(trx, userId, 'update')
  if (user === undefined || user.disabledAt !== null) throw credentialNotAccepted()
  if (!(await isSessionOpen(trx, sessionId, clock.now()))) throw credentialNotAccepted()
  return { user, sessionId }
}
