import { findContact } from '../../../auth/index.ts'
import { addSeconds } from '../../../platform/clock.ts'
import { requireLockedOrder, requireOrder } from '../../order/change/change-order.ts'
import { nextPaymentStatus } from '../../order/state.ts'
import type { ChargeState, KnownState, Payer, PaymentProvider, RefusedCharge } from '../providers/provider.ts'
import { LEASE_SECONDS, type PaymentDeps } from '../providers/providers.ts'
import {
  type LeasedAttempt,
  type PaymentAttempt,
  renewLease,
  replaceReference,
  setActionRequired,
  setAuthorized,
  setPaymentStatus,
  setReference,
} from './store.ts'

/** After this time the service no longer authorizes a charge, because its customer has probably left. */
const MAX_AGE_SECONDS = 15 * 60

/** Time for a customer to authenticate with their bank, or to pay on the page of the provider. */
const ACTION_SECONDS = 60 * 60

/** The outcome of a charge, or `action_required` while the customer must act. */
export type ChargeOutcome = Exclude<ChargeState, { status: 'unconfirmed' | 'authorized' }>

/** The outcome if the charge is older than `MAX_AGE_SECONDS`. Nothing was charged. */
const EXPIRED: RefusedCharge = { status: 'unanswered' }

/** The caller cannot continue: another process holds the lease, or has ended the attempt. */
export type LostCharge = { status: 'lost' }
const LOST: LostCharge = { status: 'lost' }

/**
 * Takes a charge through its steps: register, authorize, capture. The result of each step is stored before the next
 * step, so that another process can continue after a kill. The caller stores the outcome (`recordOutcome`). Each step
 * renews the lease and ends long before the lease expires, so that no other process works on the charge.
 *
 * @param isContinued whether another process may have called the provider already; then the state of the charge at the
 *   provider is read first
 * @throws the error of the provider if it does not respond
 */
export async function takeCharge(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: LeasedAttempt,
  { isContinued }: { isContinued: boolean },
): Promise<ChargeOutcome | LostCharge> {
  const charge = await register(deps, provider, attempt, isContinued)
  if (!('id' in charge)) return charge
  const known = isContinued ? await resumeCharge(deps, provider, charge) : await provider.authorize(charge)
  return known.status === 'lost' ? LOST : continueCharge(deps, provider, charge, known)
}

async function continueCharge(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: LeasedAttempt,
  { reference, ...state }: KnownState,
): Promise<ChargeOutcome | LostCharge> {
  const charge = await followReference(deps, attempt, reference)
  if (charge === undefined) return LOST
  if (state.status === 'unconfirmed')
    throw new Error(`attempt ${charge.id} is still unconfirmed after it was authorized`)
  if (state.status === 'action_required') {
    return (await setActionRequired(deps.db, charge, untilLeaseEnds(deps))) ? state : LOST
  }
  if (state.status !== 'authorized') return state
  return (await recordAuthorized(deps, charge)) ? provider.capture(charge) : LOST
}

/** Stores the id under which the provider continues a charge. Returns undefined if the caller has lost the lease. */
async function followReference(
  deps: PaymentDeps,
  attempt: LeasedAttempt,
  reference: string | undefined,
): Promise<LeasedAttempt | undefined> {
  if (reference === undefined || reference === attempt.reference) return attempt
  const isHeld = await replaceReference(deps.db, attempt, { reference, leasedUntil: untilLeaseEnds(deps) })
  return isHeld ? { ...attempt, reference } : undefined
}

function untilLeaseEnds({ clock }: PaymentDeps): Date {
  return addSeconds(clock.now(), LEASE_SECONDS)
}

/** Registers a charge with the provider, and stores its id there before money can move. */
async function register(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: LeasedAttempt,
  isContinued: boolean,
): Promise<LeasedAttempt | RefusedCharge | LostCharge> {
  if (attempt.reference !== null || provider.register === undefined) return attempt
  if (isContinued && isOlderThan(attempt, MAX_AGE_SECONDS, deps.clock.now())) return EXPIRED
  const payer = await findPayer(deps, attempt)
  const registered = await provider.register(attempt, { payer, until: addSeconds(attempt.startedAt, ACTION_SECONDS) })
  if ('status' in registered) return registered
  const { reference } = registered
  const isHeld = await setReference(deps.db, attempt, { reference, leasedUntil: untilLeaseEnds(deps) })
  return isHeld ? { ...attempt, reference } : LOST
}

async function findPayer({ db }: PaymentDeps, { orderId }: PaymentAttempt): Promise<Payer> {
  const { ownerId, shippingAddress } = await requireOrder(db, { id: orderId })
  const contact = await findContact(db, ownerId)
  return { email: shippingAddress.email ?? contact?.email ?? null, locale: contact?.locale ?? null }
}

/** Reads the state of a charge that another process started, and authorizes the charge if that process did not. */
async function resumeCharge(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: LeasedAttempt,
): Promise<KnownState | LostCharge> {
  const state = await provider.retrieve(attempt)
  const now = deps.clock.now()
  const isStale =
    (state.status === 'unconfirmed' && isOlderThan(attempt, MAX_AGE_SECONDS, now)) ||
    (state.status === 'action_required' && state.isCommitted !== true && isOlderThan(attempt, ACTION_SECONDS, now))
  if (!isStale && state.status !== 'unconfirmed') return state
  if (!(await renewLease(deps.db, attempt, untilLeaseEnds(deps)))) return LOST
  if (!isStale) return provider.authorize(attempt)
  const { reference } = await provider.release(attempt)
  return reference === undefined ? EXPIRED : { ...EXPIRED, reference }
}

function isOlderThan({ startedAt }: PaymentAttempt, seconds: number, now: Date): boolean {
  return addSeconds(startedAt, seconds) <= now
}

/** Records that a charge is authorized. Returns false if the caller has lost the lease. */
async function recordAuthorized(deps: PaymentDeps, attempt: LeasedAttempt): Promise<boolean> {
  return deps.db.transaction().execute(async (trx) => {
    const { payment } = await requireLockedOrder(trx, { id: attempt.orderId })
    if (!(await setAuthorized(trx, attempt, untilLeaseEnds(deps)))) return false
    const authorized = nextPaymentStatus(payment.status, 'authorize')
    if (authorized !== undefined) await setPaymentStatus(trx, payment.id, authorized)
    return true
  })
}
