import type { Clock } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Caller } from '../caller.ts'
import { authProblems } from '../problems.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { lockAdministrators, type User } from '../users/store.ts'

/**
 * Checks again that the caller is an administrator with an open session, before a change of other accounts. It locks
 * all administrators in the same order, so that two of them cannot remove each other at the same time.
 *
 * @throws `credential_not_accepted`, and `insufficient_role` if the caller has just lost the role
 */
export async function lockAdministrator(
  trx: Trx,
  auth: { clock: Clock },
  caller: Caller,
): Promise<{ actor: User; sessionId: string; administrators: string[] }> {
  const administrators = await lockAdministrators(trx)
  const { user: actor, sessionId } = await lockCaller(trx, auth, caller)
  if (actor.role !== 'admin') throw authProblems.insufficient_role({ members: { requiredRole: 'admin' } })
  return { actor, sessionId, administrators }
}
