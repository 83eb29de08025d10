import type { Db, Trx } from '../../../platform/db/index.ts'
import type { Client } from '../../caller.ts'
import { type Failure, type FailureDeps, recordFailedVerification } from '../../throttle/record-failure.ts'
import type { Throttle } from '../../throttle/throttle.ts'
import type { User } from '../../users/store.ts'
import { type CodeBucketDeps, codeBuckets } from './code-buckets.ts'

export type TryCodeDeps = FailureDeps & CodeBucketDeps & { db: Db; throttle: Throttle }

export interface CodeTry<P, T> {
  owner: Pick<User, 'id' | 'email' | 'devicesSince'>
  /** The security event that records a wrong code. */
  failure: Pick<Failure, 'type' | 'method' | 'sessionId'>
  /**
   * Verifies and consumes the code. Returns undefined if the code is wrong. What it wrote is committed in either case.
   * If it throws, the attempt is not counted.
   */
  verify(trx: Trx): Promise<P | undefined>
  /** Runs in the same transaction if the code was right. */
  work(trx: Trx, verified: P): Promise<T>
  /**
   * Runs if a wrong code starts a block of the account's codes, in the transaction that records the failure. It must not
   * wait for a row that `work` locks, because the rows of the attempt are locked in the reverse order.
   */
  onBlock?(trx: Trx): Promise<void>
}

/**
 * Verifies a second factor and limits wrong attempts. All attempts at an account count together, whatever the factor,
 * the operation and the challenge, so that a new challenge allows no further attempts. Wrong passwords are counted
 * separately, so that neither kind blocks the other.
 *
 * @returns the result of `work`; undefined if the code was wrong
 * @throws `login_blocked`
 */
export async function tryCode<P, T extends object>(
  auth: TryCodeDeps,
  client: Client,
  { owner, failure, verify, work, onBlock }: CodeTry<P, T>,
): Promise<T | undefined> {
  const { ownBucket, buckets } = codeBuckets(auth, client, owner)
  return auth.throttle.run(buckets, async (attempt) => {
    const result = await auth.db.transaction().execute(async (trx) => {
      const verified = await verify(trx)
      if (verified === undefined) return undefined
      const done = await work(trx, verified)
      await attempt.succeed(trx)
      return done
    })
    if (result !== undefined) return result
    const failed = { ...failure, user: owner, email: owner.email, client }
    await attempt.fail(owner.id, async (trx, begun) => {
      await recordFailedVerification(trx, auth, failed, begun)
      if (begun.some(({ bucket }) => bucket === ownBucket.name)) await onBlock?.(trx)
    })
    return undefined
  })
}
