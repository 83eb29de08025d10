import { addSeconds, type Clock } from '../../../platform/clock.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/log.ts'
import { lockUser } from '../../users/store.ts'
import type { AccountData } from './account-data.ts'
import { erasePersonalParts, listToErase, markErased } from './store.ts'

/** Requests that ran when the account was deleted have ended by then. */
const SETTLED_SECONDS = 3600

const PAGE = 100

/** Erases what the features keep of a person, as far as it may go now. @returns whether nothing is left for later */
export async function eraseData(
  trx: Trx,
  accountData: readonly AccountData[],
  userId: string,
  at: Date,
): Promise<boolean> {
  let isComplete = true
  for (const data of accountData) isComplete = (await data.erase(trx, userId, at)) && isComplete
  return isComplete
}

export interface EraseDeps {
  db: Db
  clock: Clock
  log: Log
  accountData: readonly AccountData[]
}

/**
 * Goes on erasing what is left of deleted people: orders that have ended since, and what came in at the last moment. One
 * of whom it cannot be erased does not keep it from the others.
 *
 * @throws in the end, when there was such a one
 */
export async function eraseLeftData(erasing: EraseDeps): Promise<void> {
  const { db, clock, log } = erasing
  const now = clock.now()
  let failures = 0
  const deletedBefore = addSeconds(now, -SETTLED_SECONDS)
  let ids = await listToErase(db, deletedBefore, '', PAGE)
  while (ids.length > 0) {
    for (const userId of ids) {
      try {
        await eraseLeftOf(userId, erasing, now)
      } catch (error) {
        failures += 1
        log.error({ err: error, userId }, 'erasing the rest of a deleted account failed')
      }
    }
    ids = await listToErase(db, deletedBefore, ids.at(-1) ?? '', PAGE)
  }
  if (failures > 0) throw new Error(`erasing the rest of ${failures} deleted accounts failed`)
}

async function eraseLeftOf(userId: string, { db, accountData }: EraseDeps, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockUser(trx, userId, 'update')
    // A request that was under way when the account was deleted may have recorded something since.
    await erasePersonalParts(trx, userId)
    if (await eraseData(trx, accountData, userId, now)) await markErased(trx, userId, now)
  })
}
