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

/** A charge that the provider was not asked for by then is not made any more: the customer has gone. */
const MAX_AGE_SECONDS = 15 * 60

/** How long a customer may take to prove to their bank who they are. */
const ACTION_SECONDS = 60 * 60

/** Where the steps of a charge can end for now. */
export type ChargeOutcome = Exclude<ChargeState, { status: 'unconfirmed' | 'authorized' }>

/** It comes too late, and nothing was charged. */
const EXPIRED: RefusedCharge = { status: 'unanswered' }

/** Somebody else holds the attempt or has decided about it: what becomes of the charge is theirs to say. */
export type LostCharge = { status: 'lost' }
const LOST: LostCharge = { status: 'lost' }

/**
 * Takes a charge through its steps: it is registered with the provider, authorized, captured. What a step has brought is
 * written down before the next one is asked for, so that whoever goes on after a killed process knows where it was;
 * only how it ended is left to the caller to write (`recordOutcome`).
 *
 * The lease is renewed with each step, and a step ends long before its lease; so nobody else goes on beside it.
 *
 * @param isContinued others may have asked the provider before; it is asked first how far the charge is
 * @throws whatever the provider throws when it does not answer
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
  if (state.status === 'unconfirmed') throw new Error(`attempt ${charge.id} was authorized and is not confirmed`)
  if (state.status === 'action_required') {
    return (await setActionRequired(deps.db, charge, untilLeaseEnds(deps))) ? state : LOST
  }
  if (state.status !== 'authorized') return state
  return (await recordAuthorized(deps, charge)) ? provider.capture(charge) : LOST
}

function untilLeaseEnds({ clock }: PaymentDeps): Date {
  return addSeconds(clock.now(), LEASE_SECONDS)
}

/** Money can move only under a name that is written down. */
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

/** Finds out where a charge is that others have begun, and does the step they may not have come to. */
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

/** Tells whether the charge is still ours to take. */
async function recordAuthorized(deps: PaymentDeps, attempt: LeasedAttempt): Promise<boolean> {
  return deps.db.transaction().execute(async (trx) => {
    const { payment } = await requireLockedOrder(trx, { id: attempt.orderId })
    if (!(await setAuthorized(trx, attempt, untilLeaseEnds(deps)))) return false
    const authorized = nextPaymentStatus(payment.status, 'authorize')
    if (authorized !== undefined) await setPaymentStatus(trx, payment.id, authorized)
    return true
  })
}
