import { randomUUID } from 'node:crypto'
import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { enqueue } from '../../platform/jobs.ts'
import { Problem } from '../../platform/problem.ts'
import { type OpenFonts, withOpenFonts } from '../fonts/with-open-fonts.ts'
import { designProblems } from '../problems.ts'
import { type Design, type DesignKey, lockDesign } from '../store.ts'
import {
  beginFinalization,
  type FinalizationPlan,
  type FinalizeDeps,
  type FinalizeRequest,
  planFinalization,
} from './begin-finalization.ts'
import { completeFinalization } from './complete-finalization.ts'
import { LEASE_SECONDS, QUEUED_LEASE_SECONDS, untilLeaseEnds } from './lease.ts'
import type { Requester } from './receipt.ts'
import { extendLease, FINALIZE_JOB, jobKeyOf, releaseLease } from './store.ts'

/** How long a request waits for somebody else's finalization of the same design. */
const WAIT_MS = 45_000

export interface FinalizeJobPayload {
  key: DesignKey
  token: string
  requester: Requester
}

/**
 * Checks a design, draws its print files and locks them together with the price. Finalizing again answers the same
 * finalization; of several requests at once one draws, and the others wait for what comes of it.
 *
 * A transaction takes a lease on the design, the drawing happens outside of it, and a second transaction records the outcome.
 * A process that is killed in between leaves a lease that runs out: then the next request starts over.
 *
 * @throws `design_not_found`, `design_archived`, `precondition_failed`, `preflight_failed`, `render_failed`,
 *   `renderer_busy`; the draft is as it was before
 */
export async function finalizeDesign(deps: FinalizeDeps, request: FinalizeRequest): Promise<Design> {
  const deadlineMs = performance.now() + WAIT_MS
  const lease = { token: randomUUID(), seconds: LEASE_SECONDS }
  while (performance.now() < deadlineMs) {
    await deps.refreshSigningKeys()
    const begun = await inTransaction(deps, (trx, open) => beginFinalization(trx, open, request, lease))
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
 * @throws as `finalizeDesign`, save what only drawing can find out
 */
export async function finalizeDesignLater(deps: FinalizeDeps, request: FinalizeRequest): Promise<Design> {
  const lease = { token: randomUUID(), seconds: QUEUED_LEASE_SECONDS }
  await deps.refreshSigningKeys()
  return inTransaction(deps, async (trx, open) => {
    const { outcome, design } = await beginFinalization(trx, open, request, lease)
    if (outcome === 'leased') {
      const payload: FinalizeJobPayload = { key: request.key, token: lease.token, requester: request.requester }
      await enqueue(trx, FINALIZE_JOB, payload, { maxAttempts: 3, key: jobKeyOf(lease.token) })
    }
    return design
  })
}

/**
 * The job: does what `finalizeDesignLater` put off, unless the design went another way meanwhile. Running it twice does it
 * once. What may be over soon, such as a full queue or a storage that is away, makes it fail and keep its lease for the
 * next attempt; after the last one the design is a draft again.
 */
export async function resumeFinalization(
  deps: FinalizeDeps,
  payload: FinalizeJobPayload,
  { isLast }: { isLast: boolean } = { isLast: true },
): Promise<void> {
  const lease = { id: payload.key.id, token: payload.token }
  const comesBackAfter = (error: unknown): boolean => !isLast && isPassing(error)
  try {
    const plan = await resume(deps, payload)
    if (plan !== undefined) await completeFinalization(deps, { plan, requester: payload.requester, comesBackAfter })
  } catch (error) {
    if (comesBackAfter(error)) {
      // Where this fails, the lease runs out, but until somebody else takes it the next attempt finds its own.
      await extendLease(deps.database.db, { ...lease, until: untilQueuedLeaseEnds(deps) }).catch(() => undefined)
      throw error
    }
    // Where even this fails, the lease runs out by itself, and what is told is why it came to this.
    await releaseLease(deps.database.db, lease).catch((failure: unknown) =>
      deps.log.warn({ err: failure, designId: payload.key.id }, 'a finalization could not be given up'),
    )
    if (!(error instanceof Problem)) throw error
    deps.log.info({ designId: payload.key.id, code: error.code }, 'a design was not finalized')
  }
}

/** A transaction in which designs can be checked. */
function inTransaction<Result>(
  deps: FinalizeDeps,
  work: (trx: Trx, open: FinalizeDeps & OpenFonts) => Promise<Result>,
): Promise<Result> {
  return withOpenFonts(deps, (open) => deps.database.db.transaction().execute((trx) => work(trx, { ...deps, ...open })))
}

/** Not what a rule says of this design: that would be found again. */
function isPassing(error: unknown): boolean {
  return !(error instanceof Problem) || error.status === 503
}

function untilQueuedLeaseEnds({ clock }: FinalizeDeps): Date {
  return addSeconds(clock.now(), QUEUED_LEASE_SECONDS)
}

async function resume(deps: FinalizeDeps, { key, token }: FinalizeJobPayload): Promise<FinalizationPlan | undefined> {
  return inTransaction(deps, async (trx, open) => {
    const design = await lockDesign(trx, key)
    if (design?.leaseToken !== token) return undefined
    const until = addSeconds(deps.clock.now(), LEASE_SECONDS)
    await extendLease(trx, { id: key.id, token, until })
    return planFinalization(trx, open, design, { token, seconds: LEASE_SECONDS })
  })
}
