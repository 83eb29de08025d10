import { randomUUID } from 'node:crypto'
import type { Counter } from 'prom-client'
import {
  type DrawingFailure,
  drawingFailureOf,
  type PersonalizationDeps,
  planPersonalized,
} from '../../designs/index.ts'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { enqueue } from '../../platform/jobs.ts'
import type { Log } from '../../platform/log.ts'
import type { ItemFilesFailure } from '../order/item-files-failures.ts'
import { type ItemFilesEvent, nextItemFilesStatus } from '../order/state.ts'
import { lockOrder, touchOrder } from '../order/store.ts'
import type { FairQueue } from './fair-queue.ts'
import { DRAW_JOB } from './prepare-item-files.ts'
import {
  type Claim,
  claimItemFiles,
  type DrawnItemFiles,
  failItemFiles,
  findEqualFiles,
  hashesOf,
  renewClaim,
  rescheduleItemFiles,
  setItemFiles,
} from './store.ts'

export interface DrawDeps {
  db: Db
  clock: Clock
  log: Log
  designs: PersonalizationDeps
  /** Counts items whose files could not be drawn in the end, by the failure. */
  failedItemFiles: Pick<Counter<'failure'>, 'inc'>
}

/** How long files are nobody else's after their process was killed. Who draws extends it long before. */
const LEASE_SECONDS = 30
const RENEW_EVERY_MS = 10_000

/** Pauses after tries that failed; after one more the files have failed. */
export const PAUSES_SECONDS = [5, 30, 120, 600]
const MAX_ATTEMPTS = PAUSES_SECONDS.length + 1

/** Where the renderer or the storage is away, or has too much to do. That is no fault of the files. */
const UNAVAILABLE_SECONDS = 20

/** A job that ran for ever would hold up others of its kind, and the end of the process. */
const RUN_MS = 2_000

/**
 * Draws what is due, one item after another, for some seconds; customers have their fairQueue. Running it twice at once, or
 * again after it was killed, ends the same: files have the name of their content, and one holder of the lease records them.
 *
 * @param fairQueue the same for all runs in a process
 * @returns whether there may be more
 */
export async function drawDueItemFiles(deps: DrawDeps, fairQueue: FairQueue): Promise<boolean> {
  const { db, clock } = deps
  const deadlineMs = performance.now() + RUN_MS
  while (performance.now() < deadlineMs) {
    const now = clock.now()
    const lease = { token: randomUUID(), now, until: addSeconds(now, LEASE_SECONDS) }
    const claim = await claimItemFiles(db, lease, fairQueue.recentlyServed())
    if (claim === undefined) return false
    fairQueue.recordServed(claim.ownerId)
    const continues = await drawClaimed(deps, claim)
    if (!continues) return false
  }
  return true
}

/** @returns false where others would fare no better now */
async function drawClaimed(deps: DrawDeps, claim: Claim): Promise<boolean> {
  // Each of these tries took its process with it.
  if (claim.attempts > MAX_ATTEMPTS) return failClaim(deps, claim, 'drawing_failed')
  const stopKeeping = renewUntilStopped(deps, claim)
  try {
    await recordFiles(deps, claim, await filesFor(deps, claim))
    return true
  } catch (error) {
    return await afterFailure(deps, claim, error)
  } finally {
    stopKeeping()
  }
}

async function filesFor({ db, designs }: DrawDeps, claim: Claim): Promise<DrawnItemFiles> {
  const { orderId } = claim
  const { contentHash, draw } = await planPersonalized(db, designs, claim)
  // They are forgotten only with the whole order: what was there is there until the claim is.
  const equal = await findEqualFiles(db, { orderId, contentHash })
  return { contentHash, files: equal ?? (await draw()) }
}

async function recordFiles(deps: DrawDeps, claim: Claim, drawn: DrawnItemFiles): Promise<void> {
  await endClaim(deps, claim, 'finish', async (trx) => {
    await deps.designs.storage.retain(trx, hashesOf(drawn.files))
    return setItemFiles(trx, claim, drawn)
  })
}

/**
 * Ends a claim, unless it is no longer held or the files of the item have come to another end.
 *
 * @param end tells whether the claim was still held
 * @returns whether it did
 */
async function endClaim(
  { db, clock }: DrawDeps,
  { orderId, itemId }: Claim,
  event: ItemFilesEvent,
  end: (trx: Trx) => Promise<boolean>,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    // Whoever judges the order by its files has it locked.
    const order = await lockOrder(trx, { id: orderId })
    const item = order?.items.find(({ id }) => id === itemId)
    if (item === undefined || nextItemFilesStatus(item, event) === undefined) return false
    const isEnded = await end(trx)
    if (isEnded) await touchOrder(trx, orderId, clock.now())
    return isEnded
  })
}

const FAILURES: Readonly<Record<Exclude<DrawingFailure, 'unavailable'>, ItemFilesFailure>> = {
  failed: 'drawing_failed',
  timed_out: 'drawing_timed_out',
  out_of_memory: 'drawing_out_of_memory',
}

async function afterFailure(deps: DrawDeps, claim: Claim, error: unknown): Promise<boolean> {
  const { log } = deps
  const { itemId, orderId, attempts } = claim
  const failure = drawingFailureOf(error)
  log.warn({ err: error, orderId, itemId, attempts, failure }, 'files of an order item were not drawn')
  if (failure === 'unavailable') {
    await postpone(deps, claim, { seconds: UNAVAILABLE_SECONDS, counted: false })
    return false
  }
  const pauseSeconds = PAUSES_SECONDS[attempts - 1]
  if (pauseSeconds === undefined) return failClaim(deps, claim, FAILURES[failure])
  await postpone(deps, claim, { seconds: pauseSeconds, counted: true })
  return true
}

async function postpone(
  { db, clock }: DrawDeps,
  claim: Claim,
  { seconds, counted }: { seconds: number; counted: boolean },
): Promise<void> {
  const dueAt = addSeconds(clock.now(), seconds)
  await rescheduleItemFiles(db, claim, { dueAt, counted })
  // Else it would wait for the next minute.
  await enqueue(db, DRAW_JOB, {}, { runAt: dueAt, key: `${DRAW_JOB}/${claim.itemId}`, maxAttempts: 3 })
}

async function failClaim(deps: DrawDeps, claim: Claim, failure: ItemFilesFailure): Promise<true> {
  const { itemId, orderId } = claim
  if (await endClaim(deps, claim, 'fail', (trx) => failItemFiles(trx, claim, failure))) {
    deps.failedItemFiles.inc({ failure })
    deps.log.error({ orderId, itemId, failure }, 'files of an order item cannot be drawn; an operator has to look')
  }
  return true
}

function renewUntilStopped({ db, clock, log }: DrawDeps, claim: Claim): () => void {
  const extend = (): void => {
    renewClaim(db, claim, addSeconds(clock.now(), LEASE_SECONDS)).catch((error: unknown) =>
      log.warn({ err: error, itemId: claim.itemId }, 'a lease could not be extended'),
    )
  }
  const timer = setInterval(extend, RENEW_EVERY_MS)
  return () => clearInterval(timer)
}
