import { createHash, randomUUID } from 'node:crypto'
import { addSeconds } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { networkOfShare } from '../../platform/fair-share.ts'
import { defineJob } from '../../platform/jobs/jobs.ts'
import { findShare } from '../../platform/newcomers.ts'
import { Problem } from '../../platform/problem.ts'
import { forgetUnpaid } from '../../platform/storage/index.ts'
import { type CheckInputs, findCheckInputs } from '../checking/check-inputs.ts'
import { type Checks, withChecks } from '../checking/with-checks.ts'
import { designProblems } from '../problems.ts'
import { contentOf } from '../save-design.ts'
import { nextStatus, statusAt } from '../state.ts'
import { type Design, type DesignKey, findDesign, lockDesign } from '../store.ts'
import {
  beginFinalization,
  type FinalizationPlan,
  type FinalizeDeps,
  type FinalizeRequest,
  planFinalization,
} from './begin-finalization.ts'
import { completeFinalization } from './complete-finalization.ts'
import { failFinalization } from './fail-finalization.ts'
import { LEASE_SECONDS, QUEUED_LEASE_SECONDS, untilLeaseEnds } from './lease.ts'
import type { Requester } from './receipt.ts'
import { countFinalizing, extendLease, findLeased } from './store.ts'

/** How long a request waits while another one finalizes the same design. */
const WAIT_MS = 45_000

export interface FinalizeJobPayload {
  key: DesignKey
  token: string
  requester: Requester
}

/** The job that draws the files of a design after `finalizeDesignLater`. */
export const finalizeJob = defineJob<FinalizeJobPayload>('designs.finalize')

/** Prefix of the keys of these jobs. The token of the lease follows it. */
export const FINALIZE_KEY_PREFIX = `${finalizeJob.name}:`

/**
 * Checks a design, draws its print files and locks them together with the price. A repetition returns the same
 * finalization. If several requests arrive at once, one draws the files and the others wait for its result.
 *
 * A first transaction takes a lease on the design, drawing happens outside of transactions, and a second transaction
 * records the outcome. If the process is killed in between, the lease expires and the next request starts again.
 *
 * @throws `design_not_found`, `design_archived`, `precondition_failed`, `preflight_failed`, `text_too_complex`,
 *   `render_failed`, `renderer_busy`, `storage_quota_exceeded`; the draft is then unchanged
 */
export async function finalizeDesign(deps: FinalizeDeps, request: FinalizeRequest): Promise<Design> {
  const deadlineMs = performance.now() + WAIT_MS
  const lease = { token: randomUUID(), seconds: LEASE_SECONDS }
  while (performance.now() < deadlineMs) {
    await deps.refreshSigningKeys()
    const begun = await inTransaction(deps, isDraft(deps, request), (trx, checked) =>
      beginFinalization(trx, checked, request, lease),
    )
    if (begun.outcome === 'finalized') return begun.design
    if (begun.outcome === 'busy') {
      await untilLeaseEnds(deps, begun.design, deadlineMs)
      continue
    }
    const finalized = await completeFinalization(deps, { plan: begun.plan, requester: request.requester })
    if (finalized !== undefined) return finalized
  }
  throw designProblems.renderer_busy({ headers: { 'Retry-After': '5' } })
}

/**
 * How many finalizations of one owner run at once, so that the places of the job runner are left for other owners. All
 * guests and new customers of one network count as one owner.
 */
const FINALIZATIONS_AT_ONCE = 2

/** Queues are rows that stay, so several owners share one. */
const QUEUES = 1_024

/** Returns a queue of a share. A queue runs one job at a time. */
function queueFor(share: string, slot: number): string {
  const number = createHash('sha256').update(share).digest().readUInt16BE() % QUEUES
  return `${finalizeJob.name}/${number}/${slot}`
}

/**
 * Checks a design at once, and enqueues a job that draws its files.
 *
 * @returns the design, which is already `finalized` or is `finalizing`
 * @throws the problems of `finalizeDesign`, except for those of drawing
 */
export async function finalizeDesignLater(deps: FinalizeDeps, request: FinalizeRequest): Promise<Design> {
  const lease = { token: randomUUID(), seconds: QUEUED_LEASE_SECONDS, isForJob: true }
  await deps.refreshSigningKeys()
  return inTransaction(deps, isDraft(deps, request), async (trx, checked) => {
    const { outcome, design } = await beginFinalization(trx, checked, request, lease)
    if (outcome === 'leased') {
      const payload = { key: request.key, token: lease.token, requester: request.requester }
      const key = `${FINALIZE_KEY_PREFIX}${lease.token}`
      // Serves owners in rotation: the first waiting design of every owner is finalized before the second of any owner.
      const priority = await countFinalizing(trx, design.ownerId)
      const queue = queueFor(networkOfShare(await findShare(trx, design.ownerId)), priority % FINALIZATIONS_AT_ONCE)
      await finalizeJob.enqueue(trx, payload, { maxAttempts: 3, key, priority, queue })
    }
    return design
  })
}

/**
 * Runs the job of `finalizeDesignLater`, unless the design has changed since. A second run has no further effect. After
 * a temporary error, such as a full queue or an unavailable storage, the job fails and keeps its lease for the next
 * attempt. After the last attempt the design becomes a draft again and states the reason (`failFinalization`).
 */
export async function resumeFinalization(
  deps: FinalizeDeps,
  payload: FinalizeJobPayload,
  { isLast }: { isLast: boolean } = { isLast: true },
): Promise<void> {
  const { key, token, requester } = payload
  const { db } = deps.database
  try {
    for (let isOver = false; !isOver; ) {
      const plan = await resume(deps, payload)
      // If an image or font was deleted during drawing, the design is checked again, and the preflight report names
      // what is missing.
      isOver =
        plan === undefined || (await completeFinalization(deps, { plan, requester, keepsLease: true })) !== undefined
    }
  } catch (error) {
    if (!isLast && isPassing(error)) {
      // If the extension fails, the lease expires. The next attempt can still use it, unless another process has leased
      // the design.
      await extendLease(db, { id: key.id, token, until: untilQueuedLeaseEnds(deps) }).catch(() => undefined)
      throw error
    }
    // If recording the failure fails as well, the lease expires. The job reports the original error.
    const failed = { key, token, cause: error, now: deps.clock.now() }
    await db
      .transaction()
      .execute((trx) => failFinalization(trx, failed))
      .catch((failure: unknown) =>
        deps.log.warn({ err: failure, designId: key.id }, 'the failure of a finalization could not be recorded'),
      )
    if (!(error instanceof Problem)) throw error
    deps.log.info({ designId: key.id, code: error.code }, 'a design was not finalized')
  }
}

interface Expected {
  key: DesignKey
  /** Whether the transaction will check the design, given its current state. */
  isChecked(design: Design): boolean
}

/** Runs a transaction that checks a design, with a report that was made before it. */
function inTransaction<Result>(
  deps: FinalizeDeps,
  { key, isChecked }: Expected,
  work: (trx: Trx, checked: FinalizeDeps & Checks) => Promise<Result>,
): Promise<Result> {
  const expected = async (db: Db): Promise<CheckInputs | undefined> => {
    const design = await findDesign(db, key)
    return design !== undefined && isChecked(design) ? findCheckInputs(db, contentOf(design)) : undefined
  }
  const { db } = deps.database
  return withChecks(deps, expected, (checks) => db.transaction().execute((trx) => work(trx, { ...deps, ...checks })))
}

function isDraft({ clock }: FinalizeDeps, { key, requireVersion }: FinalizeRequest): Expected {
  const isChecked = (design: Design) => {
    const now = clock.now()
    requireVersion(design, now)
    return nextStatus(statusAt(design, now), 'begin_finalizing') !== undefined
  }
  return { key, isChecked }
}

/** Whether an error is temporary. An error that states a fault of the design would happen again. */
function isPassing(error: unknown): boolean {
  return !(error instanceof Problem) || error.status === 503
}

function untilQueuedLeaseEnds({ clock }: FinalizeDeps): Date {
  return addSeconds(clock.now(), QUEUED_LEASE_SECONDS)
}

/** Plans the drawing again. The owner of the design may change while it is checked, so it is then checked once more. */
async function resume(deps: FinalizeDeps, { key, token }: FinalizeJobPayload): Promise<FinalizationPlan | undefined> {
  for (;;) {
    const leased = await findLeased(deps.database.db, { id: key.id, token })
    const plan = await planLeased(deps, leased ?? key, token)
    if (plan !== 'moved') return plan
  }
}

async function planLeased(
  deps: FinalizeDeps,
  key: DesignKey,
  token: string,
): Promise<FinalizationPlan | undefined | 'moved'> {
  const isChecked = ({ leaseToken }: Design) => leaseToken === token
  return inTransaction(deps, { key, isChecked }, async (trx, checked) => {
    const leased = await findLeased(trx, { id: key.id, token })
    if (leased !== undefined && leased.ownerId !== key.ownerId) return 'moved'
    const design = leased && (await lockDesign(trx, leased))
    if (design === undefined) {
      await forgetUnpaid(trx, [token])
      return undefined
    }
    const plan = await planFinalization(trx, checked, design, { token, seconds: LEASE_SECONDS })
    await extendLease(trx, { id: design.id, token, until: addSeconds(deps.clock.now(), LEASE_SECONDS) })
    return plan
  })
}
