import { once } from 'node:events'
import { addSeconds, type Clock } from '../../../platform/clock.ts'
import { createFairTurns } from '../../../platform/concurrency/fair-turns.ts'
import { networkOfOwner } from '../../../platform/concurrency/semaphore.ts'
import type { Db } from '../../../platform/db/index.ts'
import { networkOf } from '../../../platform/networks.ts'
import { forgetUsage } from '../../../platform/storage/index.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import type { Client } from '../../caller.ts'
import { lockUser } from '../../users/store.ts'
import type { AccountData, ErasedBatch } from './account-data.ts'
import { logLeftToJob, moveRest } from './move-rest.ts'
import { erasePersonalParts, listErasable, markErased } from './store.ts'

/** After this time, every request that was in flight when the account was deleted has ended. */
const MAX_REQUEST_SECONDS = 3600

const PAGE = 100

/** How long a response waits for an erasure. Few accounts have more records than are erased in this time. */
const LONGEST_WAIT_MS = 5_000

/**
 * Batches that rewrite events run one after another, in rotation of networks and their callers: each can rewrite
 * megabytes of events, and the event loop and all readers of events wait for it.
 */
const batches = createFairTurns({ longestMs: 2_000, groupOf: networkOfOwner })

interface Erasure {
  userId: string
  at: Date
  /** Undefined in jobs, which count as one caller. */
  requested?: RequestedErasure | undefined
}

interface RequestedErasure {
  /** The network of the caller and the caller, whose other erasures wait for each other. */
  owner: string
  /** Ends the erasure before its next batch. */
  signal: AbortSignal
}

/**
 * Erases the personal data of all features as far as allowed now. Each batch is a transaction of its own, because
 * readers of events wait for the oldest open transaction.
 *
 * @returns whether everything is erased
 * @throws the reason of the signal
 */
async function eraseData({ db, accountData }: EraseDeps, { userId, at, requested }: Erasure): Promise<boolean> {
  let isComplete = true
  for (const data of accountData) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after
      const eraseBatch = async (): Promise<boolean | ErasedBatch> => {
        requested?.signal.throwIfAborted()
        return db.transaction().execute(async (trx) => {
          await lockUser(trx, userId, 'update')
          return data.erase(trx, userId, at, from)
        })
      }
      const erased = await (data.rewritesEvents ? batches.run(requested?.owner, eraseBatch) : eraseBatch())
      isComplete = (typeof erased === 'boolean' ? erased : erased.isComplete) && isComplete
      after = typeof erased === 'boolean' ? undefined : erased.next
    }
  }
  return isComplete
}

/**
 * Erases the data of a closed account. `eraseRemainingData` later erases the data that must be retained for now. If the
 * account was merged into another one, the data is moved there instead.
 */
export async function eraseClosedAccount(
  erasing: EraseDeps,
  userId: string,
  requested?: RequestedErasure,
): Promise<void> {
  await erasePersonalParts(erasing.db, userId)
  await moveOrErase(erasing, { userId, at: erasing.clock.now(), requested })
}

/** Returns whether nothing is left of the data. */
async function moveOrErase(erasing: EraseDeps, erasure: Erasure): Promise<boolean> {
  return (await moveRest(erasing, erasure.userId)) || (await eraseData(erasing, erasure))
}

/**
 * Erases the data of an account that a request has just closed, as far as its response may wait for it. A job erases the
 * rest, also after a failure.
 */
export async function eraseOrLeaveToJob(
  erasing: EraseDeps,
  userId: string,
  caller: { userId: string; client: Pick<Client, 'ip'> },
): Promise<void> {
  const signal = AbortSignal.timeout(LONGEST_WAIT_MS)
  const owner = `${networkOf(caller.client.ip)} ${caller.userId}`
  const erasure = eraseClosedAccount(erasing, userId, { owner, signal }).catch((error: unknown) => {
    if (signal.aborted && error === signal.reason) return
    const message = 'erasing the data of a deleted account failed; a job tries again'
    logLeftToJob(erasing.log, { err: error, userId }, message)
  })
  // A batch can wait for its turn or for a lock.
  await Promise.race([erasure, once(signal, 'abort')])
}

export interface EraseDeps {
  db: Db
  clock: Clock
  log: Log
  accountData: readonly AccountData[]
}

/**
 * Erases data that could not be erased when its account was deleted: orders that have ended since, and records of
 * requests that were in flight. A failure for one account does not stop the erasure for other accounts.
 *
 * @throws if the erasure failed for an account, after all accounts were tried
 */
export async function eraseRemainingData(erasing: EraseDeps): Promise<void> {
  const { db, clock, log } = erasing
  const now = clock.now()
  let failures = 0
  const deletedBefore = addSeconds(now, -MAX_REQUEST_SECONDS)
  let ids = await listErasable(db, deletedBefore, '', PAGE)
  while (ids.length > 0) {
    for (const userId of ids) {
      try {
        await eraseRemainingOf(userId, erasing, now)
      } catch (error) {
        failures += 1
        log.error({ err: error, userId }, 'erasing the rest of a deleted account failed')
      }
    }
    ids = await listErasable(db, deletedBefore, ids.at(-1) ?? '', PAGE)
  }
  if (failures > 0) throw new Error(`erasing the rest of ${failures} deleted accounts failed`)
}

async function eraseRemainingOf(userId: string, erasing: EraseDeps, now: Date): Promise<void> {
  const isComplete = await moveOrErase(erasing, { userId, at: now })
  await erasing.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId, 'update')
    // A request that was in flight when the account was deleted may have recorded a security event afterwards.
    await erasePersonalParts(trx, userId)
    if (!isComplete) return
    await markErased(trx, userId, now)
    await forgetUsage(trx, userId)
  })
}
