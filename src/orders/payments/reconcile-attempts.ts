import { addSeconds } from '../../platform/clock.ts'
import { contextFor } from '../order/change/action-context.ts'
import { recordChange, requireLockedOrder } from '../order/change/change-order.ts'
import { type ChargeToCheck, scheduleCheck } from './attempts/schedule-check.ts'
import {
  findAttempt,
  type LeasedAttempt,
  leaseAttempt,
  type PaymentAttempt,
  postponeRelease,
  reopenForRelease,
  setReleased,
} from './attempts/store.ts'
import { abandonAttempt } from './attempts/supersede-attempt.ts'
import { takeCharge } from './attempts/take-charge.ts'
import { reconcileDisputes, recordDispute } from './disputes/reconcile-disputes.ts'
import type { KnownRefund, PaymentProvider, ReleasedCharge } from './providers/provider.ts'
import {
  findProvider,
  LEASE_SECONDS,
  listProviders,
  MAX_FAILURES,
  MAX_PER_RUN,
  type PaymentDeps,
} from './providers/providers.ts'
import { recordOutcome } from './record-outcome.ts'
import { executeRefunds, reconcileRefunds } from './refunds/execute-refunds.ts'

/** After this time, another process that is checking the charge should have finished. */
const RECHECK_SECONDS = 5

/** Pauses between tries to return money. The last pause repeats. */
const RELEASE_PAUSES_SECONDS = [60, 5 * 60, 30 * 60, 3 * 3600, 24 * 3600]

/**
 * Completes abandoned payments and refunds. Those that cannot be completed yet wait for the next run of the job.
 *
 * @param signal stops the run before the next payment
 */
export async function reconcilePayments(deps: PaymentDeps, signal?: AbortSignal): Promise<void> {
  await reconcileAttempts(deps, { signal })
  await executeRefunds(deps, { signal })
}

/**
 * Reads the state of abandoned attempts from their providers, and continues them. If the provider takes no new
 * payments, the attempt is released instead, so that its money is returned.
 *
 * @returns whether one of the attempts paid its order, and the errors of attempts whose outcome is still unknown
 */
export async function reconcileAttempts(
  deps: PaymentDeps,
  { signal, ...scope }: { orderId?: string; attemptId?: string; signal?: AbortSignal | undefined } = {},
): Promise<{ isPaid: boolean; failures: unknown[] }> {
  const failures: unknown[] = []
  let isPaid = false
  let missing = 0
  for (let count = scope.attemptId === undefined ? MAX_PER_RUN : 1; count > 0 && signal?.aborted !== true; count -= 1) {
    const now = deps.clock.now()
    const leasedUntil = addSeconds(now, LEASE_SECONDS)
    const attempt = await leaseAttempt(deps.db, { providers: listProviders(deps), now, leasedUntil, ...scope })
    const provider = attempt && findProvider(deps, attempt.provider)
    if (attempt === undefined || provider === undefined) break
    // The failure of one attempt must not delay the other attempts.
    try {
      if (await reconcileAttempt(deps, provider, attempt)) isPaid = true
    } catch (error) {
      deps.log.warn(
        { err: error, attemptId: attempt.id, provider: provider.name },
        'the outcome of a charge is unknown; the service checks it again',
      )
      // The order can be paid again while an earlier attempt is only being released, so its error is not reported.
      if (attempt.status !== 'releasing') failures.push(error)
      missing += 1
      if (missing === MAX_FAILURES) break
    }
  }
  return { isPaid, failures }
}

/** Continues one attempt. Returns whether it paid the order. */
async function reconcileAttempt(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: LeasedAttempt,
): Promise<boolean> {
  if (attempt.status === 'releasing') {
    await release(deps, provider, attempt)
    return false
  }
  if (provider !== deps.provider) {
    await deps.db.transaction().execute((trx) => abandonAttempt(trx, attempt, deps.clock.now()))
    return false
  }
  const end = await takeCharge(deps, provider, attempt, { isContinued: true })
  if (end.status === 'action_required' || end.status === 'lost') return false
  const context = contextFor(deps, { by: 'system', userId: null })
  const { isApplied } = await deps.db.transaction().execute((trx) => recordOutcome(trx, deps, context, attempt, end))
  return isApplied && end.status === 'captured'
}

async function release(deps: PaymentDeps, provider: PaymentProvider, attempt: LeasedAttempt): Promise<void> {
  const { returned, reference } = await releaseAtProvider(deps, provider, attempt)
  const context = contextFor(deps, { by: 'system', userId: null })
  await deps.db.transaction().execute(async (trx) => {
    await requireLockedOrder(trx, { id: attempt.orderId })
    if (!(await setReleased(trx, attempt, { at: context.now, reference })) || returned === 0) return
    await recordChange(trx, context, attempt.orderId, [{ type: 'payment.returned_late' }])
  })
}

async function releaseAtProvider(
  { db, clock }: PaymentDeps,
  provider: PaymentProvider,
  attempt: LeasedAttempt,
): Promise<ReleasedCharge> {
  // Without an id at the provider, no money can have moved.
  if (attempt.reference === null) return { returned: 0 }
  try {
    return await provider.release(attempt)
  } catch (error) {
    const last = RELEASE_PAUSES_SECONDS.length - 1
    const pause = RELEASE_PAUSES_SECONDS[Math.min(attempt.releaseTries, last)] ?? 0
    await postponeRelease(db, attempt, addSeconds(clock.now(), pause))
    throw error
  }
}

/**
 * Updates an order to the state of a charge at its provider. Continues an active attempt. Releases an ended attempt if
 * the provider still holds money for it. Compares the refunds of a captured attempt, and the open disputes of the order.
 */
export async function reconcileCharge(deps: PaymentDeps, charge: ChargeToCheck): Promise<void> {
  const { provider: name, reference, attemptId, dispute, disputeEnd } = charge
  const provider = findProvider(deps, name)
  const attempt = provider && (await findAttempt(deps.db, { provider: name, reference, attemptId }))
  // Charges that are not found belong to another system, or are so new that the process that created them has not
  // stored their id yet.
  if (provider === undefined || attempt === undefined) return
  if (dispute !== undefined) await recordDispute(deps, attempt, { dispute, end: disputeEnd ?? null })
  const isPostponed = await reconcileMoney(deps, provider, attempt, charge)
  // The check that follows reads the disputes. Until then, the provider would get a request every few seconds.
  if (!isPostponed) await reconcileDisputes(deps, provider, attempt)
}

/** Returns whether another check follows, because another process is working on the attempt. */
async function reconcileMoney(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: PaymentAttempt,
  charge: ChargeToCheck,
): Promise<boolean> {
  if (attempt.status === 'captured') {
    await reconcileRefunds(deps, provider, attempt)
    return false
  }
  const now = deps.clock.now()
  if (attempt.status === 'action_required' && attempt.leaseToken !== null && attempt.leasedUntil > now) {
    const { dispute: _, disputeEnd: __, ...again } = charge
    await scheduleCheck(deps.db, again, addSeconds(now, RECHECK_SECONDS))
    return true
  }
  const hasEnded = attempt.status === 'declined' || attempt.status === 'unanswered'
  if (hasEnded && (await mayHoldMoney(provider, attempt))) {
    await reopenForRelease(deps.db, attempt.id, deps.clock.now())
  }
  if (attempt.status === 'released' && (await hasReturned(provider, attempt))) {
    const { provider: name, reference } = charge
    deps.log.error({ attemptId: attempt.id, provider: name, reference }, 'a refund of a superseded charge was returned')
    await reopenForRelease(deps.db, attempt.id, deps.clock.now())
  }
  const { failures } = await reconcileAttempts(deps, { attemptId: attempt.id })
  if (failures.length > 0) throw failures[0]
  return false
}

/** Whether the provider holds money for a charge, or may take it later. */
async function mayHoldMoney(provider: PaymentProvider, attempt: PaymentAttempt): Promise<boolean> {
  const { status } = await provider.retrieve(attempt)
  return status === 'authorized' || status === 'captured' || status === 'action_required'
}

/** Whether a refund for a superseded attempt failed, so that the provider holds the money again. */
async function hasReturned(provider: PaymentProvider, attempt: PaymentAttempt): Promise<boolean> {
  const refunds = await provider.listRefunds(attempt)
  const isBack = ({ state }: KnownRefund) => state.status === 'failed'
  const gone = refunds.reduce((total, refund) => total + (isBack(refund) ? 0 : refund.amount), 0)
  return refunds.some(isBack) && gone < attempt.amount
}
