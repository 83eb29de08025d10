import { randomUUID } from 'node:crypto'
import { Counter, type Registry } from 'prom-client'
import {
  type DrawingFailure,
  drawingFailureOf,
  fileBytesOf,
  type PersonalizationDeps,
  planPersonalized,
} from '../../designs/index.ts'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { keepLease } from '../../platform/db/locking/leases.ts'
import { growUnpaid, type StorageQuota } from '../../platform/storage/index.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import type { OrderEventType } from '../events.ts'
import { emitForOrder, requireOrder } from '../order/change/change-order.ts'
import {
  type ItemFilesEvent,
  type ItemFilesFailure,
  type ItemFilesStatus,
  nextItemFilesStatus,
} from '../order/state.ts'
import { lockOrderRow, touchOrder } from '../order/store.ts'
import type { FairQueue } from './fair-queue.ts'
import { DRAW_JOB, drawJob } from './prepare-item-files.ts'
import {
  type Claim,
  claimItemFiles,
  type DrawnItemFiles,
  failItemFiles,
  findEqualFiles,
  findFileStatuses,
  hashesOf,
  renewClaim,
  rescheduleItemFiles,
  setItemFiles,
  suspendItemFiles,
} from './store.ts'

export interface DrawDeps {
  db: Db
  clock: Clock
  log: Log
  designs: PersonalizationDeps
  quota: Pick<StorageQuota, 'unpaid'>
  failedItemFiles: Pick<Counter<'failure'>, 'inc'>
  /** Provider that takes payments; undefined: operators record payments. */
  provider: object | undefined
}

/**
 * After this time without renewal, another process can continue the work of a killed process. A running process renews
 * its lease.
 */
const LEASE_SECONDS = 30
const RENEW_EVERY_MS = 10_000

/**
 * Pauses between tries to render the files of an item. After the last pause the service tries once more, and then the
 * files fail.
 */
export const PAUSES_SECONDS = [5, 30, 120, 600]
const MAX_ATTEMPTS = PAUSES_SECONDS.length + 1

/**
 * After this many tries, an item that exceeds the time limit has failed. Each such try takes the longest time possible,
 * during which items of other customers wait.
 */
const MAX_ATTEMPTS_TIMED_OUT = 2

/**
 * Pause after a try during which the renderer or the storage was unavailable. Such a try does not count as one of
 * `MAX_ATTEMPTS`.
 */
const UNAVAILABLE_SECONDS = 20

/**
 * Time after which a job starts no further item. A longer job would delay other jobs of its kind and the stop of the
 * process.
 */
const RUN_MS = 2_000

/**
 * Renders due files, one item after another, until `RUN_MS` have passed. The customer who has used the least time comes
 * first, so that none has to wait for all items of another. Runs with the same queue render items of different
 * customers. Parallel and repeated runs are safe: files are stored by content, and only the holder of a lease records
 * them.
 *
 * @param fairQueue shared by all runs of a process
 * @returns whether more files may be due
 */
export async function drawDueItemFiles(deps: DrawDeps, fairQueue: FairQueue): Promise<boolean> {
  const { db, clock } = deps
  const deadlineMs = performance.now() + RUN_MS
  while (performance.now() < deadlineMs) {
    const now = clock.now()
    const lease = { token: randomUUID(), now, until: addSeconds(now, LEASE_SECONDS) }
    const claim = await fairQueue.take((turn) => claimItemFiles(db, lease, turn))
    if (claim === undefined) return false
    const begin = performance.now()
    try {
      if (!(await drawClaimed(deps, claim))) return false
    } finally {
      fairQueue.end(claim, performance.now() - begin)
    }
  }
  return true
}

/**
 * Renders the files of one leased item.
 *
 * @returns false if other items would fail for the same reason
 */
async function drawClaimed(deps: DrawDeps, claim: Claim): Promise<boolean> {
  // Every earlier try ended with the death of its process, so rendering this item may be the cause.
  if (claim.attempts > MAX_ATTEMPTS) return failClaim(deps, claim, 'drawing_failed')
  if (!(await hasRoom(deps, claim))) {
    await suspendItemFiles(deps.db, claim)
    return true
  }
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

/**
 * Tells whether the customer may store more before paying. The order was counted with the sizes of the files of its
 * designs, and files with other texts can be far larger. Without room, the files wait for the payment.
 */
function hasRoom({ db, clock, quota }: DrawDeps, { ownerId, orderId: subject }: Claim): Promise<boolean> {
  return quota.unpaid.hasRoomFor(db, { ownerId, subject, now: clock.now() })
}

async function filesFor({ db, designs }: DrawDeps, claim: Claim): Promise<DrawnItemFiles> {
  const { orderId } = claim
  const { contentHash, draw } = await planPersonalized(db, designs, claim)
  // Files of an order are deleted only together with the order, so the files that are found stay available while the
  // claim is held.
  const equal = await findEqualFiles(db, { orderId, contentHash })
  return { contentHash, files: equal ?? (await draw()), isShared: equal !== undefined }
}

async function recordFiles(deps: DrawDeps, claim: Claim, drawn: DrawnItemFiles): Promise<void> {
  await endClaim(deps, claim, 'finish', async (trx) => {
    await deps.designs.storage.retain(trx, hashesOf(drawn.files))
    await countDrawn(trx, claim, drawn)
    return setItemFiles(trx, claim, drawn)
  })
}

/** Counts the bytes of the files of an unpaid order that exceed the estimate with which the order was counted. */
async function countDrawn(
  trx: Trx,
  { orderId, finalizationId }: Claim,
  { files, isShared }: DrawnItemFiles,
): Promise<void> {
  if (isShared) return
  const estimated = (await fileBytesOf(trx, [finalizationId])).get(finalizationId) ?? 0
  const excess = files.reduce((total, { bytes }) => total + bytes, -estimated)
  if (excess > 0) await growUnpaid(trx, orderId, excess)
}

/**
 * Ends a claim, if the caller still holds its lease and the status of the files allows the event.
 *
 * @param end stores the result in the transaction; returns whether the caller still held the lease
 * @returns whether the claim was ended
 */
async function endClaim(
  { db, clock, provider }: DrawDeps,
  { orderId, itemId }: Claim,
  event: ItemFilesEvent,
  end: (trx: Trx) => Promise<boolean>,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    // Locks the order, because actions that depend on the files lock it too. Only an event needs the order itself, which may
    // have a hundred items, and this runs for each of them.
    await lockOrderRow(trx, { id: orderId })
    const status = (await findFileStatuses(trx, orderId)).get(itemId)
    if (status === undefined || nextItemFilesStatus({ personalization: { status } }, event) === undefined) return false
    const isEnded = await end(trx)
    if (!isEnded) return false
    const at = clock.now()
    await touchOrder(trx, orderId, at)
    const type = eventOf([...(await findFileStatuses(trx, orderId)).values()], event)
    if (type === undefined) return true
    const order = await requireOrder(trx, { id: orderId })
    await emitForOrder(trx, order, { type, onlinePayment: provider !== undefined, at })
    return true
  })
}

/**
 * Events contain the whole order, which can have a hundred items. So at most two are about the files of an order: one
 * of the first failure, which an operator can act on at once, and one when no file is pending any more, unless the only
 * failure has been reported.
 */
function eventOf(statuses: readonly ItemFilesStatus[], event: ItemFilesEvent): OrderEventType | undefined {
  const failed = statuses.filter((status) => status === 'failed').length
  if (event === 'fail' && failed === 1) return 'design.files_failed'
  if (statuses.includes('pending') || failed === 1) return undefined
  return failed === 0 ? 'design.files_ready' : 'design.files_failed'
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
  log.warn({ err: error, orderId, itemId, attempts, failure }, 'print files of an order item were not rendered')
  if (failure === 'unavailable') {
    await postpone(deps, claim, { seconds: UNAVAILABLE_SECONDS, counted: false })
    return false
  }
  const pauseSeconds = PAUSES_SECONDS[attempts - 1]
  const isLast = failure === 'timed_out' && attempts >= MAX_ATTEMPTS_TIMED_OUT
  if (isLast || pauseSeconds === undefined) return failClaim(deps, claim, FAILURES[failure])
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
  // Without this job, the next try would wait for the job that runs every minute.
  await drawJob.enqueue(db, {}, { ...DRAW_JOB, runAt: dueAt, key: `${drawJob.name}/${claim.itemId}` })
}

async function failClaim(deps: DrawDeps, claim: Claim, failure: ItemFilesFailure): Promise<true> {
  const { itemId, orderId } = claim
  if (await endClaim(deps, claim, 'fail', (trx) => failItemFiles(trx, claim, failure))) {
    deps.failedItemFiles.inc({ failure })
    deps.log.error({ orderId, itemId, failure }, 'print files of an order item failed; an operator must retry them')
  }
  return true
}

function renewUntilStopped({ db, clock, log }: DrawDeps, claim: Claim): () => void {
  return keepLease({
    everyMs: RENEW_EVERY_MS,
    renew: () => renewClaim(db, claim, addSeconds(clock.now(), LEASE_SECONDS)),
    onError: (error) => log.warn({ err: error, itemId: claim.itemId }, 'the lease of print files was not renewed'),
  })
}

/**
 * Creates the counter of items whose rendering failed permanently. Called once per registry, because it registers a
 * metric.
 */
export function countFailedItemFiles(registry: Registry): Counter<'failure'> {
  return new Counter({
    name: 'platen_order_item_files_failed_total',
    help: 'Order items whose print files could not be rendered, by failure. An operator must retry them.',
    labelNames: ['failure'] as const,
    registers: [registry],
  })
}
