import type { Config } from '../../config/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { Caller } from '../caller.ts'
import { authProblems } from '../problems.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { confirmationBucket, ipBucket } from '../throttle/buckets.ts'
import { type FailureDeps, recordFailedVerification } from '../throttle/record-failure.ts'
import type { Throttle } from '../throttle/throttle.ts'
import { findUser, type User } from '../users/store.ts'
import type { PasswordHasher } from './hasher.ts'

export type ConfirmPasswordDeps = FailureDeps & {
  db: Db
  throttle: Throttle
  hasher: PasswordHasher
  config: Pick<Config, 'login'>
}

export interface Confirmation<Prepared = void> {
  password: string
  /** Position of the password in the request body. */
  pointer: string
  /** Long work for the transaction, which runs before it, and only if the password is right. */
  prepare?: () => Promise<Prepared>
}

/**
 * Verifies the caller's password. Wrong passwords are counted separately from those of sign-ins. `work` runs in the
 * transaction that records the success, after the user was locked.
 *
 * @throws `current_password_wrong`, `credential_not_accepted`, `login_blocked`, `sign_in_busy`
 */
export async function confirmPassword<T, Prepared = void>(
  auth: ConfirmPasswordDeps,
  caller: Caller,
  { password, pointer, prepare }: Confirmation<Prepared>,
  work: (trx: Trx, user: User, prepared: Prepared) => Promise<T>,
): Promise<T> {
  const rules = auth.config.login
  const { userId, sessionId } = caller
  return auth.throttle.run([confirmationBucket(userId, rules), ipBucket(caller.client.ip, rules)], async (attempt) => {
    const user = await findUser(auth.db, userId)
    const client = { ip: caller.client.ip, account: userId }
    const { matches } = await auth.hasher.verify(user?.passwordHash, password, client)
    if (!matches) {
      const failure = { type: 'step_up_failed', user, email: user?.email ?? '', client: caller.client } as const
      await attempt.fail(userId, (trx, begun) =>
        recordFailedVerification(trx, auth, { ...failure, method: 'password', sessionId }, begun),
      )
      throw wrong(pointer)
    }
    const prepared = (await prepare?.()) as Prepared
    return auth.db.transaction().execute(async (trx) => {
      const { user: locked } = await lockCaller(trx, auth, caller)
      // The user's password was changed while the old one was being verified.
      if (locked.passwordHash !== user?.passwordHash) throw wrong(pointer)
      const done = await work(trx, locked, prepared)
      await attempt.succeed(trx)
      return done
    })
  })
}

function wrong(pointer: string) {
  const detail = 'The password is not the current one.'
  return authProblems.current_password_wrong({ errors: [{ code: 'current_password_wrong', pointer, detail }] })
}
