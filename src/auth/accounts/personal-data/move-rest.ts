import { addSeconds } from '../../../platform/clock.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { defineJob } from '../../../platform/jobs.ts'
import { lockUser } from '../../users/store.ts'
import type { AccountData } from './account-data.ts'
import { findHeir } from './store.ts'

/** Moves what was stored for a user after its records were moved to another one. */
export const MOVE_REST_JOB = defineJob<{ userId: string }>('auth.move_rest')

/**
 * When to look for such records, in seconds. Most of them are from transactions of the same moment. An upload over a
 * slow connection can end much later, and `auth.erase` looks again every day.
 */
const LATER_SECONDS = [1, 5, 60, 600]

export async function moveRestLater(trx: Trx, userId: string, at: Date): Promise<void> {
  for (const seconds of LATER_SECONDS) {
    const { name: queue } = MOVE_REST_JOB
    const options = { key: `${queue}/${userId}/${seconds}`, runAt: addSeconds(at, seconds), queue }
    await MOVE_REST_JOB.enqueue(trx, { userId }, options)
  }
}

/**
 * Moves the remaining records of a closed user to the user that got the others.
 *
 * @returns false if no user got them, or if that user was deleted: the records are then to be erased
 */
export async function moveRest(
  { db, accountData }: { db: Db; accountData: readonly AccountData[] },
  userId: string,
): Promise<boolean> {
  const isMoved = await withHeir(db, userId, async (trx, heirId) => {
    for (const { move } of accountData) await move?.(trx, userId, heirId)
    return true
  })
  if (isMoved === undefined) return false
  for (const { moveLater } of accountData) {
    if (moveLater === undefined) continue
    const moveSome = () => withHeir(db, userId, (trx, heirId) => moveLater(trx, userId, heirId))
    while ((await moveSome()) === false);
  }
  return true
}

/** Runs a transaction with both users locked. Returns undefined if the user has no heir. */
async function withHeir<Result>(
  db: Db,
  userId: string,
  work: (trx: Trx, heirId: string) => Promise<Result>,
): Promise<Result | undefined> {
  return db.transaction().execute(async (trx) => {
    const heirId = await findHeir(trx, userId)
    if (heirId === undefined) return undefined
    for (const id of [userId, heirId].sort()) await lockUser(trx, id, 'update')
    // The heir may have been merged or deleted before it was locked.
    if ((await findHeir(trx, userId)) !== heirId) throw new Error(`the heir of ${userId} has just changed`)
    return work(trx, heirId)
  })
}
