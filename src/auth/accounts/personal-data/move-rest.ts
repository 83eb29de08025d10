import { once } from 'node:events'
import { addSeconds } from '../../../platform/clock.ts'
import { TransferLimited } from '../../../platform/db/admission/connection-gate.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { retryOnConflict } from '../../../platform/db/locking/retry-on-conflict.ts'
import { defineJob } from '../../../platform/jobs/jobs.ts'
import { compareUsageSoon } from '../../../platform/storage/index.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
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

export interface MoveDeps {
  db: Db
  accountData: readonly AccountData[]
}

/** How many records of a user are moved, for each `name` of `AccountData`. */
export type MovedRecords = Readonly<Record<string, number>>

/** Runs a transaction when it is the turn of the caller. */
export type InTurn = <Result>(transaction: () => Promise<Result>) => Promise<Result>

const atOnce: InTurn = (transaction) => transaction()

/** More than a guest needs. The records of other customers may need more, which are then left to the job. */
const MOST_BATCHES = 60

/** How long a response waits for the batches, which wait for those of others. */
const LONGEST_WAIT_MS = 5_000

/**
 * Moves what `moveData` left of a user that is closed now, as far as a request may wait for it. After a failure, and if
 * there are very many records, a job moves the rest.
 */
export async function moveMoreOrLeaveToJob(
  auth: MoveDeps & { log: Log },
  userId: string,
  inTurn = atOnce,
  longestMs = LONGEST_WAIT_MS,
): Promise<void> {
  const signal = AbortSignal.timeout(longestMs)
  const moving = moveMore(auth, userId, { mostBatches: MOST_BATCHES, signal, inTurn }).catch((error: unknown) =>
    logLeftToJob(auth.log, { err: error, userId }, 'moving the records of a closed user failed; a job tries again'),
  )
  // A batch can wait for its turn or for a lock.
  await Promise.race([moving, once(signal, 'abort')])
}

/** Logs what a job has to do again. It is no error of the service if the caller has moved too many bytes. */
export function logLeftToJob(log: Log, details: { err: unknown; userId: string }, message: string): void {
  log[details.err instanceof TransferLimited ? 'info' : 'error'](details, message)
}

interface Batches {
  mostBatches?: number
  /** Ends the move before its next batch. */
  signal?: AbortSignal
  inTurn?: InTurn
}

/** Moves the records in batches, a transaction each. */
async function moveMore(
  { db, accountData }: MoveDeps,
  userId: string,
  { mostBatches = Infinity, signal, inTurn = atOnce }: Batches = {},
): Promise<void> {
  let batches = 0
  for (const { moveMore: move } of accountData) {
    if (move === undefined) continue
    const moveBatch = () => withHeir(db, userId, (trx, heirId) => move(trx, userId, heirId))
    const moveUnlessOver = async () => (signal?.aborted === true ? 0 : retryOnConflict(moveBatch))
    while (batches < mostBatches && ((await inTurn(moveUnlessOver)) ?? 0) > 0) batches += 1
  }
}

/**
 * Moves the remaining records of a closed user to the user that got the others.
 *
 * @returns false if no user got them, or if that user was deleted: the records are then to be erased
 */
export async function moveRest({ db, accountData }: MoveDeps, userId: string): Promise<boolean> {
  const isMoved = await withHeir(db, userId, async (trx, heirId) => {
    let moved = 0
    for (const { move } of accountData) moved += (await move?.(trx, userId, heirId)) ?? 0
    // A comparison since the claim or merge did not count these records.
    if (moved > 0) await compareUsageSoon(trx, heirId)
    return true
  })
  if (isMoved === undefined) return false
  await moveMore({ db, accountData }, userId)
  for (const { moveLater } of accountData) {
    if (moveLater === undefined) continue
    const moveSome = () => withHeir(db, userId, (trx, heirId) => moveLater(trx, userId, heirId))
    while ((await moveSome()) === false);
  }
  return true
}

/**
 * Runs a transaction with the heir of a closed user locked. Returns undefined if the user has no heir. The user itself is
 * not locked: a transaction that waited for the heir with this lock would hold back the events of all users.
 */
async function withHeir<Result>(
  db: Db,
  userId: string,
  work: (trx: Trx, heirId: string) => Promise<Result>,
): Promise<Result | undefined> {
  for (;;) {
    const done = await db.transaction().execute(async (trx) => {
      const heirId = await findHeir(trx, userId)
      if (heirId === undefined) return { result: undefined }
      await lockUser(trx, heirId, 'update')
      // The heir may have been merged or deleted before it was locked.
      if ((await findHeir(trx, userId)) !== heirId) return undefined
      return { result: await work(trx, heirId) }
    })
    if (done !== undefined) return done.result
  }
}
