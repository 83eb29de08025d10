import { addSeconds } from '../../../platform/clock.ts'
import type { Trx } from '../../../platform/db/index.ts'
import type { AuthDeps } from '../../context.ts'
import { lockUser } from '../store.ts'
import type { AccountData } from './account-data.ts'
import { listToErase, markErased } from './store.ts'

/** What was under way when an account was deleted has ended by then, and has written what it wrote. */
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

/** Goes on erasing what is left of deleted people: orders that have ended since, and what came in at the last moment. */
export async function eraseLeftData({
  db,
  clock,
  accountData,
}: Pick<AuthDeps, 'db' | 'clock' | 'accountData'>): Promise<void> {
  const now = clock.now()
  const deletedBefore = addSeconds(now, -SETTLED_SECONDS)
  let ids = await listToErase(db, deletedBefore, '', PAGE)
  while (ids.length > 0) {
    for (const userId of ids) {
      await db.transaction().execute(async (trx) => {
        await lockUser(trx, userId, 'update')
        if (await eraseData(trx, accountData, userId, now)) await markErased(trx, userId, now)
      })
    }
    ids = await listToErase(db, deletedBefore, ids.at(-1) ?? '', PAGE)
  }
}
