import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import { createKeyedSemaphore, type WaitingLimit } from '../../platform/concurrency/semaphore.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import type { Audit } from '../audit/audit.ts'
import { authProblems, SIGN_INS_WAITING } from '../problems.ts'
import type { LoginRules } from './buckets.ts'
import {
  type Block,
  type BlockState,
  type Bucket,
  readBlocks,
  recordFailure,
  recordSuccess,
  release,
  reserve,
} from './store.ts'

/**
 * Maximum time to wait for room in a bucket that is full of running attempts. They end within a fraction of a second,
 * unless their process dies.
 */
const ROOM_TIMEOUT_MS = 2_000
const ROOM_POLL_MS = 50

export interface Attempt {
  /**
   * Ends the attempt after a right password or code, and clears the failures of the account and the device. Call it last in
   * the transaction of the operation, because other attempts from the IP address wait for its row until the transaction
   * ends.
   */
  succeed(trx: Trx): Promise<void>
  /**
   * Counts a wrong password or code. It stays counted even if the request fails later.
   *
   * @param userId the account that the attempt was for; null if none exists
   * @param record writes to the same transaction; it gets the blocks that begin with this failure
   */
  fail(userId: string | null, record: (trx: Trx, begun: Block[]) => Promise<void>): Promise<void>
}

export interface Throttle {
  /**
   * Runs `evaluate` if none of the buckets is blocked or full. The attempt is counted before `evaluate` runs, so that
   * sending attempts at the same time gives no further attempts. If `evaluate` throws without having called `fail`, the
   * attempt is not counted. After the transaction in which it called `succeed` has committed, `evaluate` must not
   * throw.
   *
   * @throws `login_blocked`
   */
  run<T>(buckets: readonly Bucket[], evaluate: (attempt: Attempt) => Promise<T>): Promise<T>
  /**
   * Rejects a request that prepares an attempt, such as sending a code, if the attempt would be blocked. It counts
   * nothing.
   *
   * @throws `login_blocked` if one of the buckets is blocked
   */
  requireUnblocked(trx: Trx, buckets: readonly Bucket[]): Promise<void>
}

export interface ThrottleDeps {
  db: Db
  clock: Clock
  rules: LoginRules
  audit: Audit
}

export function createThrottle({ db, clock, rules, audit }: ThrottleDeps): Throttle {
  // The database counts attempts. This semaphore only makes a burst of attempts wait, because right passwords would
  // otherwise fill the buckets and reject each other.
  const semaphore = createKeyedSemaphore(SIGN_INS_WAITING)

  const recordEnds = async (ended: Block[]): Promise<void> => {
    for (const { bucket, block, until, userId } of ended) {
      const details = { pool: kindOf(bucket), block, until: until.toISOString(), reason: 'expired' }
      await audit.record(db, { type: 'block_ended', userId, actor: 'system', client: null, details })
    }
  }

  const take = async (buckets: readonly Bucket[]): Promise<void> => {
    const names = buckets.map((bucket) => bucket.name)
    for (let waited = 0; ; waited += ROOM_POLL_MS) {
      const { granted, ended } = await reserve(db, buckets, rules, clock.now())
      await recordEnds(ended)
      if (granted.length === buckets.length) return
      if (granted.length > 0) await release(db, granted)
      const now = clock.now()
      const blocked = longest(await readBlocks(db, names, now))
      if (blocked !== undefined || waited >= ROOM_TIMEOUT_MS) throw blockedProblem(blocked, now)
      await delay(ROOM_POLL_MS)
    }
  }

  const evaluateCounted = async <T>(
    buckets: readonly Bucket[],
    evaluate: (attempt: Attempt) => Promise<T>,
  ): Promise<T> => {
    await take(buckets)
    const names = buckets.map((bucket) => bucket.name)
    const cleared = buckets.filter((bucket) => bucket.keepsFailures !== true).map((bucket) => bucket.name)
    let failed = false
    try {
      return await evaluate({
        succeed: (trx) => recordSuccess(trx, names, cleared),
        fail: async (userId, record) => {
          failed = true
          const count = (trx: Trx): Promise<Block[]> => recordFailure(trx, { buckets, userId }, rules, clock.now())
          try {
            await db.transaction().execute(async (trx) => record(trx, await count(trx)))
          } catch (error) {
            // The failure counts even if its security event or the mail about it could not be written.
            await db.transaction().execute(count)
            throw error
          }
        },
      })
    } catch (error) {
      if (!failed) await release(db, names)
      throw error
    }
  }

  return {
    run: async (buckets, evaluate) => {
      const ordered = buckets.toSorted(byShare)
      const runInAll = ordered.reduceRight(
        (work, bucket) => () => semaphore.run(bucket.name, bucket.capacity, work, waitingLimitOf(bucket)),
        () => evaluateCounted(ordered, evaluate),
      )
      return runInAll()
    },
    requireUnblocked: async (trx, buckets) => {
      const now = clock.now()
      const names = buckets.map((bucket) => bucket.name)
      const blocked = longest(await readBlocks(trx, names, now))
      if (blocked !== undefined) throw blockedProblem(blocked, now)
    },
  }
}

/**
 * Orders the buckets of accounts before those of IP addresses. While an attempt waits for another attempt at its
 * account, it must not use up a permit of its IP address, because other accounts share that address.
 */
function byShare(a: Bucket, b: Bucket): number {
  const [shared, otherShared] = [a.keepsFailures === true, b.keepsFailures === true]
  if (shared !== otherShared) return shared ? 1 : -1
  return a.name < b.name ? -1 : 1
}

function waitingLimitOf({ maxWaiting }: Bucket): WaitingLimit | undefined {
  if (maxWaiting === undefined) return undefined
  return { max: maxWaiting, whenFull: () => httpProblems.rate_limited({ headers: { 'Retry-After': '2' } }) }
}

/** Returns the kind of a bucket for security events. The whole name would identify a user. */
export function kindOf(bucket: string): string {
  const [kind = '', , device] = bucket.split(':')
  return device === 'device' ? `${kind}_device` : kind.replace('-', '_')
}

function longest(states: readonly BlockState[]): BlockState | undefined {
  return states
    .filter((state) => state.blockedUntil !== undefined)
    .sort((a, b) => Number(b.blockedUntil) - Number(a.blockedUntil))[0]
}

function blockedProblem(state: BlockState | undefined, now: Date) {
  const milliseconds = state?.blockedUntil === undefined ? 0 : state.blockedUntil.getTime() - now.getTime()
  const retryAfter = Math.max(1, Math.ceil(milliseconds / 1000))
  return authProblems.login_blocked({
    headers: { 'Retry-After': String(retryAfter) },
    members: { block: state?.block ?? 'temporary' },
  })
}
