import { addSeconds, type Clock } from '../../../platform/clock.ts'
import { createFairTurns } from '../../../platform/concurrency/fair-turns.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/log.ts'
import { forgetUsage } from '../../../platform/storage/index.ts'
import { lockUser } from '../../users/store.ts'
import type { AccountData, ErasedBatch } from './account-data.ts'
import { moveRest } from './move-rest.ts'
import { erasePersonalParts, listErasable, markErased } from './store.ts'

/** After this time, every request that was in flight when the account was deleted has ended. */
const MAX_REQUEST_SECONDS = 3600

const PAGE = 100

/**
 * Batches of erasures run one after another, in rotation of their accounts: each can rewrite megabytes of events, and
 * the event loop and all readers of events wait for it.
 */
const batches = createFairTurns({ longestMs: 2_000 })

/**
 * Erases the personal data of all features as far as allowed now. Each batch is a transaction of its own, because
 * readers of events wait for the oldest open transaction.
 *
 * @returns whether everything is erased
 */
async function eraseData({ db, accountData }: EraseDeps, userId: string, at: Date): Promise<boolean> {
  let isComplete = true
  for (const data of accountData) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after
      const eraseBatch = (): Promise<boolean | ErasedBatch> =>
        db.transaction().execute(async (trx) => {
          await lockUser(trx, userId, 'update')
          return data.erase(trx, userId, at, from)
        })
      const erased = await batches.run(userId, eraseBatch)
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
export async function eraseClosedAccount(erasing: EraseDeps, userId: string): Promise<void> {
  await erasePersonalParts(erasing.db, userId)
  await moveOrErase(erasing, userId, erasing.clock.now())
}

/** Returns whether nothing is left of the data. */
async function moveOrErase(erasing: EraseDeps, userId: string, at: Date): Promise<boolean> {
  return (await moveRest(erasing, userId)) || (await eraseData(erasing, userId, at))
}

/** Erases the data of an account that was just closed. After a failure, a job erases the rest. */
export async function eraseOrLeaveToJob(erasing: EraseDeps, userId: string): Promise<void> {
  try {
    await eraseClosedAccount(erasing, userId)
  } catch (error) {
    erasing.log.error({ err: error, userId }, 'erasing the data of a deleted account failed; a job tries again')
  }
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
  const isComplete = await moveOrErase(erasing, userId, now)
  await erasing.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId, 'update')
    // A request that was in flight when the account was deleted may have recorded a security event afterwards.
    await erasePersonalParts(trx, userId)
    if (!isComplete) return
    await markErased(trx, userId, now)
    await forgetUsage(trx, userId)
  })
}
