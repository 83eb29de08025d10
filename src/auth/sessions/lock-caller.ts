import type { FastifyRequest } from 'fastify'
import type { Trx } from '../../platform/db/index.ts'
import { notAccepted, sessionOf } from '../access/guards.ts'
import { lockUser, type User } from '../accounts/store.ts'
import type { AuthContext } from '../context.ts'
import { isSessionOpen } from './store.ts'

/**
 * Locks the person who is signed in for a change of what opens their account. The guard has judged the session before
 * the lock was there: it may have been ended meanwhile, by a new password for instance, and must then change nothing.
 *
 * @throws `credential_not_accepted`
 */
export async function lockCaller(
  trx: Trx,
  { clock }: Pick<AuthContext, 'clock'>,
  request: FastifyRequest,
): Promise<{ user: User; sessionId: string }> {
  const { userId, credentialId: sessionId } = sessionOf(request)
  const user = await lockUser(trx, userId, 'update')
  if (user === undefined || user.disabledAt !== null) throw notAccepted()
  if (!(await isSessionOpen(trx, sessionId, clock.now()))) throw notAccepted()
  return { user, sessionId }
}
