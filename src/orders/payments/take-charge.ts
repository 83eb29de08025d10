import { addSeconds } from '../../platform/clock.ts'
import { requireLockedOrder } from '../order/change-order.ts'
import { nextPaymentStatus } from '../order/state.ts'
import { LEASE_SECONDS, type PaymentDeps } from './providers/find-provider.ts'
import type { ChargeState, PaymentProvider, RefusedCharge } from './providers/provider.ts'
import { moveAttempt, type PaymentAttempt, setPaymentStatus, setReference } from './store.ts'

/** A charge that the provider was not asked for by then is not made any more: the customer has gone. */
const GOOD_FOR_SECONDS = 15 * 60

/** How long a customer may take to prove to their bank who they are. */
const ACTION_SECONDS = 60 * 60

/** Where the steps of a charge can end for now. */
export type ChargeEnd = Exclude<ChargeState, { status: 'unconfirmed' | 'authorized' }>

/** Somebody else has decided about the attempt, and sees to it that nothing stays charged. */
const GIVEN_UP: RefusedCharge = { status: 'unanswered' }

/**
 * Takes a charge through its steps: it is registered with the provider, authorized, captured. What a step has brought is
 * written down before the next one is asked for, so that whoever goes on after a killed process knows where it was;
 * only how it ended is left to the caller to write (`settle`).
 *
 * @param isContinued others may have asked the provider before; it is asked first how far the charge is
 * @throws whatever the provider throws when it does not answer
 */
export async function takeCharge(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: PaymentAttempt,
  { isContinued }: { isContinued: boolean },
): Promise<ChargeEnd> {
  const charge = await register(deps, provider, attempt, isContinued)
  if (!('id' in charge)) return charge
  const state = isContinued ? await goOn(deps, provider, charge) : await provider.authorize(charge)
  if (state.status === 'unconfirmed') throw new Error(`attempt ${charge.id} was authorized and is not confirmed`)
  if (state.status === 'action_required') {
    const now = deps.clock.now()
    const leasedUntil = addSeconds(now, LEASE_SECONDS)
    return (await moveAttempt(deps.db, charge.id, { status: 'action_required', leasedUntil })) ? state : GIVEN_UP
  }
  if (state.status !== 'authorized') return state
  return (await noteAuthorized(deps, charge)) ? provider.capture(charge) : GIVEN_UP
}

/** Money can move only under a name that is written down. */
async function register(
  { db, clock }: PaymentDeps,
  provider: PaymentProvider,
  attempt: PaymentAttempt,
  isContinued: boolean,
): Promise<PaymentAttempt | RefusedCharge> {
  if (attempt.reference !== null || provider.register === undefined) return attempt
  if (isContinued && isOlderThan(attempt, GOOD_FOR_SECONDS, clock.now())) return GIVEN_UP
  const registered = await provider.register(attempt)
  if ('status' in registered) return registered
  const { reference } = registered
  const leasedUntil = addSeconds(clock.now(), LEASE_SECONDS)
  return (await setReference(db, attempt.id, { reference, leasedUntil })) ? { ...attempt, reference } : GIVEN_UP
}

/** Finds out where a charge is that others have begun, and does the step they may not have come to. */
async function goOn({ clock }: PaymentDeps, provider: PaymentProvider, attempt: PaymentAttempt): Promise<ChargeState> {
  const state = await provider.look(attempt)
  const isStale =
    (state.status === 'unconfirmed' && isOlderThan(attempt, GOOD_FOR_SECONDS, clock.now())) ||
    (state.status === 'action_required' && isOlderThan(attempt, ACTION_SECONDS, clock.now()))
  if (isStale) {
    await provider.release(attempt)
    return GIVEN_UP
  }
  return state.status === 'unconfirmed' ? provider.authorize(attempt) : state
}

function isOlderThan({ startedAt }: PaymentAttempt, seconds: number, now: Date): boolean {
  return addSeconds(startedAt, seconds) <= now
}

/** Tells whether the charge is still wanted. */
async function noteAuthorized({ db, clock }: PaymentDeps, attempt: PaymentAttempt): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { payment } = await requireLockedOrder(trx, { id: attempt.orderId })
    const leasedUntil = addSeconds(clock.now(), LEASE_SECONDS)
    if (!(await moveAttempt(trx, attempt.id, { status: 'authorized', leasedUntil }))) return false
    const authorized = nextPaymentStatus(payment.status, 'authorize')
    if (authorized !== undefined) await setPaymentStatus(trx, payment.id, authorized)
    return true
  })
}
