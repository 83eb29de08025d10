import { addSeconds } from '../../../platform/clock.ts'
import { requireLockedOrder } from '../../order/change-order.ts'
import { nextPaymentStatus } from '../../order/state.ts'
import type { ChargeState, PaymentProvider, RefusedCharge } from '../providers/provider.ts'
import { LEASE_SECONDS, type PaymentDeps } from '../providers/providers.ts'
import {
  type LeasedAttempt,
  type PaymentAttempt,
  renewLease,
  setActionRequired,
  setAuthorized,
  setPaymentStatus,
  setReference,
} from './store.ts'

/** A charge older than this is not authorized any more, because its customer has left. */
const MAX_AGE_SECONDS = 15 * 60

/** Time for a customer to authenticate with their bank. */
const ACTION_SECONDS = 60 * 60

/** How a charge can end, or pause until the customer acts. */
export type ChargeOutcome = Exclude<ChargeState, { status: 'unconfirmed' | 'authorized' }>

/** The charge is too old, and nothing was charged. */
const EXPIRED: RefusedCharge = { status: 'unanswered' }

/** Another process holds the lease, or has ended the attempt. */
export type LostCharge = { status: 'lost' }
const LOST: LostCharge = { status: 'lost' }

/**
 * Takes a charge through its steps: register, authorize, capture. Each result is stored before the next step, so that
 * another process can continue after a kill. The caller stores the outcome (`recordOutcome`).
 * Each step renews the lease and ends long before it, so that no other process works on the charge.
 *
 * @param isContinued whether another process may have called the provider; its state of the charge is then read first
 * @throws whatever the provider throws if it does not respond
 */
export async function takeCharge(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: LeasedAttempt,
  { isContinued }: { isContinued: boolean },
): Promise<ChargeOutcome | LostCharge> {
  const charge = await register(deps, provider, attempt, isContinued)
  if (!('id' in charge)) return charge
  const state = isContinued ? await resumeCharge(deps, provider, charge) : await provider.authorize(charge)
  if (state.status === 'unconfirmed')
    throw new Error(`attempt ${charge.id} is still unconfirmed after it was authorized`)
  if (state.status === 'action_required') {
    return (await setActionRequired(deps.db, charge, untilLeaseEnds(deps))) ? state : LOST
  }
  if (state.status !== 'authorized') return state
  return (await recordAuthorized(deps, charge)) ? provider.capture(charge) : LOST
}

function untilLeaseEnds({ clock }: PaymentDeps): Date {
  return addSeconds(clock.now(), LEASE_SECONDS)
}

/** The id at the provider is stored before money can move. */
async function register(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: LeasedAttempt,
  isContinued: boolean,
): Promise<LeasedAttempt | RefusedCharge | LostCharge> {
  if (attempt.reference !== null || provider.register === undefined) return attempt
  if (isContinued && isOlderThan(attempt, MAX_AGE_SECONDS, deps.clock.now())) return EXPIRED
  const registered = await provider.register(attempt)
  if ('status' in registered) return registered
  const { reference } = registered
  const isHeld = await setReference(deps.db, attempt, { reference, leasedUntil: untilLeaseEnds(deps) })
  return isHeld ? { ...attempt, reference } : LOST
}

/** Reads the state of a charge that another process started, and makes the step that may be missing. */
async function resumeCharge(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: LeasedAttempt,
): Promise<ChargeState | LostCharge> {
  const state = await provider.retrieve(attempt)
  const now = deps.clock.now()
  const isStale =
    (state.status === 'unconfirmed' && isOlderThan(attempt, MAX_AGE_SECONDS, now)) ||
    (state.status === 'action_required' && isOlderThan(attempt, ACTION_SECONDS, now))
  if (!isStale && state.status !== 'unconfirmed') return state
  if (!(await renewLease(deps.db, attempt, untilLeaseEnds(deps)))) return LOST
  if (!isStale) return provider.authorize(attempt)
  await provider.release(attempt)
  return EXPIRED
}

function isOlderThan({ startedAt }: PaymentAttempt, seconds: number, now: Date): boolean {
  return addSeconds(startedAt, seconds) <= now
}

/** Returns false if the lease is lost. */
async function recordAuthorized(deps: PaymentDeps, attempt: LeasedAttempt): Promise<boolean> {
  return deps.db.transaction().execute(async (trx) => {
    const { payment } = await requireLockedOrder(trx, { id: attempt.orderId })
    if (!(await setAuthorized(trx, attempt, untilLeaseEnds(deps)))) return false
    const authorized = nextPaymentStatus(payment.status, 'authorize')
    if (authorized !== undefined) await setPaymentStatus(trx, payment.id, authorized)
    return true
  })
}
