import { randomUUID } from 'node:crypto'
import { addSeconds } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { defineJob } from '../../platform/jobs.ts'
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
import { countFinalizing, extendLease } from './store.ts'

/** How long a request waits while another one finalizes the same design. */
const WAIT_MS = 45_000

export interface FinalizeJobPayload {
  key: DesignKey
  token: string
  requester: Requester
}

/** Draws what was put off; see `finalizeDesignLater`. */
export const finalizeJob = defineJob<FinalizeJobPayload>('designs.finalize')

/** Keys of the jobs: this, followed by the token of the lease. */
export const FINALIZE_KEY_PREFIX = `${finalizeJob.name}:`

/**
 * Checks a design, draws its print files and locks them together with the price. A repetition returns the same
 * finalization. Of several requests at once, one draws and the others wait for its result.
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
 * Checks a design at once and leaves the drawing to a job.
 *
 * @returns the design: already `finalized`, or `finalizing`
 * @throws as `finalizeDesign`, except for errors of drawing
 */
export async function finalizeDesignLater(deps: FinalizeDeps, request: FinalizeRequest): Promise<Design> {
  const lease = { token: randomUUID(), seconds: QUEUED_LEASE_SECONDS, isForJob: true }
  await deps.refreshSigningKeys()
  return inTransaction(deps, isDraft(deps, request), async (trx, checked) => {
    const { outcome, design } = await beginFinalization(trx, checked, request, lease)
    if (outcome === 'leased') {
      const payload = { key: request.key, token: lease.token, requester: request.requester }
      const key = `${FINALIZE_KEY_PREFIX}${lease.token}`
      // Owners take turns: the first waiting design of each is finalized before the second of any.
      const priority = await countFinalizing(trx, design.ownerId)
      await finalizeJob.enqueue(trx, payload, { maxAttempts: 3, key, priority })
    }
    return design
  })
}

/**
 * Runs the job of `finalizeDesignLater`, unless the design has changed since. Running it twice has the effect of once.
 * After a temporary error, such as a full queue or an unavailable storage, it fails and keeps its lease for the next
 * attempt. After the last attempt the design is a draft again and states the reason (`failFinalization`).
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
      // If an image or font was deleted during the drawing, a new check of the design names it.
      isOver =
        plan === undefined || (await completeFinalization(deps, { plan, requester, keepsLease: true })) !== undefined
    }
  } catch (error) {
    if (!isLast && isPassing(error)) {
      // If this fails, the lease expires. The next attempt can still use it, unless another process has taken the
      // design.
      await extendLease(db, { id: key.id, token, until: untilQueuedLeaseEnds(deps) }).catch(() => undefined)
      throw error
    }
    // If this fails as well, the lease expires by itself. The job reports the original error.
    const failed = { key, token, cause: error, now: deps.clock.now() }
    await db
      .transaction()
      .execute((trx) => failFinalization(trx, failed))
      .catch((failure: unknown) =>
        deps.log.warn({ err: failure, designId: key.id }, 'a finalization could not be given up'),
      )
    if (!(error instanceof Problem)) throw error
    deps.log.info({ designId: key.id, code: error.code }, 'a design was not finalized')
  }
}

interface Expected {
  key: DesignKey
  /** Whether the transaction will check a design in this state. */
  isChecked(design: Design): boolean
}

/** Runs a transaction that checks a design. */
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

/** Whether an error is temporary. An error that states a fault of the design would only happen again. */
function isPassing(error: unknown): boolean {
  return !(error instanceof Problem) || error.status === 503
}

function untilQueuedLeaseEnds({ clock }: FinalizeDeps): Date {
  return addSeconds(clock.now(), QUEUED_LEASE_SECONDS)
}

async function resume(deps: FinalizeDeps, { key, token }: FinalizeJobPayload): Promise<FinalizationPlan | undefined> {
  const isChecked = ({ leaseToken }: Design) => leaseToken === token
  return inTransaction(deps, { key, isChecked }, async (trx, checked) => {
    const design = await lockDesign(trx, key)
    if (design?.leaseToken !== token) {
      await forgetUnpaid(trx, [token])
      return undefined
    }
    const plan = await planFinalization(trx, checked, design, { token, seconds: LEASE_SECONDS })
    await extendLease(trx, { id: key.id, token, until: addSeconds(deps.clock.now(), LEASE_SECONDS) })
    return plan
  })
}
