import type { FastifyRequest } from 'fastify'
import type { Trx } from '../../platform/db/index.ts'
import { sessionOf } from '../access/guards.ts'
import { findUser, lockUser, type User } from '../accounts/store.ts'
import { recordFailedProof } from '../attempts/failures.ts'
import { addressPool, confirmationPool } from '../attempts/pools.ts'
import type { AuthContext } from '../context.ts'
import { authProblems } from '../problems.ts'
import { clientOf } from '../sessions/client.ts'

export interface Confirmation {
  userId: string
  /** The present password, as the person typed it. */
  password: string
  /** Where it stands in the request body. */
  pointer: string
}

/**
 * Asks somebody who is signed in for their password, counted like a sign-in but apart from it, and does the work in one
 * transaction with the success. The user is locked meanwhile.
 *
 * @throws `current_password_wrong`, `login_blocked`, `sign_in_busy`
 */
export async function confirmPassword<T>(
  auth: AuthContext,
  request: FastifyRequest,
  { userId, password, pointer }: Confirmation,
  work: (trx: Trx, user: User) => Promise<T>,
): Promise<T> {
  const rules = auth.config.login
  return auth.attempts.run([confirmationPool(userId, rules), addressPool(request.ip, rules)], async (attempt) => {
    const user = await findUser(auth.db, userId)
    const { matches } = await auth.hasher.verify(user?.passwordHash, password)
    if (!matches) {
      const { credentialId: sessionId } = sessionOf(request)
      const failure = { type: 'step_up_failed', user, email: user?.email ?? '', client: clientOf(request) } as const
      await attempt.fail(userId, (trx, begun) =>
        recordFailedProof(trx, auth, { ...failure, method: 'password', sessionId }, begun),
      )
      throw wrong(pointer)
    }
    return auth.db.transaction().execute(async (trx) => {
      const locked = await lockUser(trx, userId, 'update')
      // It was changed, or the account disabled, while it was being evaluated.
      if (locked === undefined || locked.passwordHash !== user?.passwordHash || locked.disabledAt !== null)
        throw wrong(pointer)
      await attempt.succeed(trx)
      return work(trx, locked)
    })
  })
}

function wrong(pointer: string) {
  const detail = 'This is not the current password.'
  return authProblems.current_password_wrong({ errors: [{ code: 'current_password_wrong', pointer, detail }] })
}
