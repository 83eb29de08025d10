import { limitOperation } from '../../auth/index.ts'
import { addSeconds } from '../../platform/clock.ts'
import { runInTurn } from '../../platform/concurrency/debts.ts'
import type { Trx } from '../../platform/db/index.ts'
import { shareOf } from '../../platform/fair-share.ts'
import { Problem } from '../../platform/problem.ts'
import { type ActionContext, contextFor } from '../order/change/action-context.ts'
import { actionRefused, requireAction, requireLockedOrder, requireOrder } from '../order/change/change-order.ts'
import { nextPaymentStatus, PAYMENT_BY_ARRANGEMENT, refusalOf } from '../order/state.ts'
import type { ActingUser, Order, OrderKey } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { attemptsOf } from './attempts/attempts-of.ts'
import {
  endLease,
  findActiveAttempt,
  findAttemptStatus,
  insertAttempt,
  type LeasedAttempt,
  leaseAttempt,
  setPaymentStatus,
} from './attempts/store.ts'
import { inProgress, supersedeAttempt } from './attempts/supersede-attempt.ts'
import { type ChargeOutcome, type LostCharge, takeCharge } from './attempts/take-charge.ts'
import { DECLINE_REASONS, type NextAction, type PaymentProvider } from './providers/provider.ts'
import { LEASE_SECONDS, type PaymentDeps } from './providers/providers.ts'
import { reconcileAttempts } from './reconcile-attempts.ts'
import { recordOutcome } from './record-outcome.ts'
import { capturePayment } from './record-payment.ts'

export interface PayRequest {
  token: string | undefined
  payer: ActingUser
}

/**
 * Charges the total of an order through the provider, and confirms the order. No transaction is open during calls of
 * the provider: the attempt is stored before each call, and the result after it. A lease prevents two requests from
 * charging at the same time. If the process is killed, another process continues the attempt under its id, for which
 * the provider charges once. If the customer must act, a repeated request with the same token or without one continues
 * the charge. A request with another token supersedes it. Without a token, the customer pays on a page of the provider
 * if it has one.
 *
 * @returns the order, and `nextAction` if the customer must act before the payment can be completed
 * @throws `order_not_found`, `order_action_refused`, `payment_in_progress`, `payment_token_required`,
 *   `payment_token_unknown`, `payment_declined`, `payment_unavailable`, `rate_limited` after too many attempts that took
 *   no money, or too many requests that continue one
 */
export async function payOrder(
  deps: PaymentDeps,
  key: OrderKey,
  { token, payer }: PayRequest,
): Promise<{ order: Order; nextAction?: NextAction }> {
  const order = await requireOrder(deps.db, key)
  const provider = requireProvider(deps, order)
  const context = contextFor(deps, payer)
  if (order.payment.amount === 0) {
    return { order: await deps.db.transaction().execute((trx) => confirmFree(trx, context, key, provider)) }
  }
  const waiting = await resumeWaiting(deps, order, provider, token)
  const usable = waiting?.token ?? requireToken(provider, token)
  if (waiting === undefined && (await reconcileEarlier(deps, order.id)))
    return { order: await requireOrder(deps.db, key) }
  // An earlier attempt may wait for its customer only now, because the process that started it was killed.
  const continued = waiting ?? (await resumeWaiting(deps, order, provider, usable))
  const attempt = continued ?? (await startAttempt(deps, key, { provider, token: usable }))
  const end = await charge(deps, provider, attempt, { isContinued: continued !== undefined })
  // Money may have moved, so the rest waits for no budget of the caller.
  return runInTurn(async () => {
    if (end.status === 'action_required') return { order: await requireOrder(deps.db, key), nextAction: end.action }
    const isApplied = end.status !== 'lost' && (await applyOutcome(deps, context, attempt, end))
    if (!isApplied) await requireCaptured(deps, key, attempt)
    // The customer left the page of the provider, which has expired since, and gets a new one.
    else if (end.status === 'unanswered' && continued !== undefined && continued.token === provider.pageToken)
      return payOrder(deps, key, { token, payer })
    else if (end.status !== 'captured') throw refusalFor(end)
    return { order: await requireOrder(deps.db, key) }
  })
}

async function applyOutcome(
  deps: PaymentDeps,
  context: ActionContext,
  attempt: LeasedAttempt,
  end: Exclude<ChargeOutcome, { status: 'action_required' }>,
): Promise<boolean> {
  const { isApplied } = await deps.db.transaction().execute((trx) => recordOutcome(trx, deps, context, attempt, end))
  return isApplied
}

/**
 * Throws the problem that matches the outcome of an attempt that another process has ended, unless its amount was
 * captured.
 */
async function requireCaptured(deps: PaymentDeps, key: OrderKey, attempt: LeasedAttempt): Promise<void> {
  const status = await findAttemptStatus(deps.db, attempt.id)
  switch (status) {
    case 'captured':
      return
    case 'declined':
      throw refusalFor({ status, reason: 'card_declined' })
    case 'unanswered':
      throw refusalFor({ status })
    case 'releasing':
    case 'released': {
      const order = await requireOrder(deps.db, key)
      const refusal = refusalOf(order, 'pay')
      if (refusal !== undefined) throw actionRefused(order, `${refusal} ${REFUND_NOTICE}`)
      throw unavailable(`Another request superseded this payment attempt. ${REFUND_NOTICE}`)
    }
    default:
      throw notKnown(new Error(`attempt ${attempt.id} is ${status} and held by another process`))
  }
}

const REFUND_NOTICE = 'If the payment provider took money for this attempt, the service returns the money.'

function requireProvider({ provider }: PaymentDeps, order: Order): PaymentProvider {
  if (provider === undefined) throw actionRefused(order, PAYMENT_BY_ARRANGEMENT)
  const refusal = provider.refusalOf(order.payment.amount, order.amounts.currency)
  if (refusal !== undefined) throw actionRefused(order, refusal)
  return provider
}

function requireToken(provider: PaymentProvider, token: string | undefined): string {
  if (token === undefined) {
    if (provider.pageToken !== undefined) return provider.pageToken
    throw tokenProblem(
      'payment_token_required',
      `The payment provider "${provider.name}" requires a token. ${provider.tokenHint}`,
    )
  }
  if (!provider.acceptsToken(token)) {
    throw tokenProblem('payment_token_unknown', `The payment provider does not know this token. ${provider.tokenHint}`)
  }
  return token
}

function tokenProblem(code: 'payment_token_required' | 'payment_token_unknown', detail: string): Problem {
  return orderProblems[code]({ detail, errors: [{ code, pointer: '/token', detail }] })
}

/** Confirms an order with a total of 0, which needs no charge. */
async function confirmFree(trx: Trx, context: ActionContext, key: OrderKey, provider: PaymentProvider): Promise<Order> {
  const order = await requireLockedOrder(trx, key)
  requireAction(order, 'pay')
  return capturePayment(trx, context, order, { method: provider.name, reference: null })
}

/**
 * Leases the charge for which the customer must act, if the request continues it: it has the same token or none.
 *
 * @throws `payment_in_progress` while another process checks whether the customer has acted, `rate_limited`
 */
async function resumeWaiting(
  { db, clock }: PaymentDeps,
  order: Order,
  provider: PaymentProvider,
  token: string | undefined,
): Promise<LeasedAttempt | undefined> {
  const live = await findActiveAttempt(db, order.id)
  if (live?.status !== 'action_required' || live.provider !== provider.name) return undefined
  if (token !== undefined && token !== live.token) return undefined
  const now = clock.now()
  await limitOperation(db, { userId: shareOf(order.ownerId), operation: 'continue_payment' }, now)
  const lease = { now, leasedUntil: addSeconds(now, LEASE_SECONDS) }
  const taken = await leaseAttempt(db, { providers: [provider.name], attemptId: live.id, ...lease })
  if (taken === undefined) throw inProgress()
  return taken
}

/** Completes earlier attempts for this order. Returns whether one of them paid the order. */
async function reconcileEarlier(deps: PaymentDeps, orderId: string): Promise<boolean> {
  const { isPaid, failures } = await reconcileAttempts(deps, { orderId })
  if (failures.length > 0) throw notKnown(failures[0])
  return isPaid
}

async function startAttempt(
  deps: PaymentDeps,
  key: OrderKey,
  { provider, token }: { provider: PaymentProvider; token: string },
): Promise<LeasedAttempt> {
  return deps.db.transaction().execute(async (trx) => {
    const order = await requireLockedOrder(trx, key)
    requireAction(order, 'pay')
    const { payment, amounts } = order
    // Reads the time only now, because this transaction may have waited for the lock of the order, and the lease starts
    // now.
    const now = deps.clock.now()
    const live = await findActiveAttempt(trx, order.id)
    if (live?.provider === provider.name && live.status !== 'action_required') {
      throw inProgress()
    }
    // This operation works while little disk space is free, so its attempts must be few.
    for (const counted of attemptsOf(order.ownerId)) await limitOperation(trx, counted, now)
    await supersedeAttempt(trx, order, now)
    const retried = nextPaymentStatus(payment.status, 'retry')
    if (retried !== undefined) await setPaymentStatus(trx, payment.id, retried)
    const leasedUntil = addSeconds(now, LEASE_SECONDS)
    const isRegistered = provider.register !== undefined
    const row = { paymentId: payment.id, provider: provider.name, token, leasedUntil }
    return {
      ...row,
      ...(await insertAttempt(trx, { ...row, isRegistered, at: now })),
      status: 'open',
      startedAt: now,
      releaseTries: 0,
      orderId: order.id,
      orderNumber: order.number,
      amount: payment.amount,
      currency: amounts.currency,
    }
  })
}

async function charge(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: LeasedAttempt,
  how: { isContinued: boolean },
): Promise<ChargeOutcome | LostCharge> {
  try {
    return await takeCharge(deps, provider, attempt, how)
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    // The attempt stays active, so that the order cannot be charged twice. Ending the lease lets another process
    // continue it.
    await endLease(deps.db, attempt, deps.clock.now())
    throw notKnown(cause)
  }
}

function notKnown(cause: unknown): Problem {
  const problem = unavailable('The result of the payment is not known yet. Read the order again in a minute.')
  problem.cause = cause
  return problem
}

function unavailable(detail: string): Problem {
  return orderProblems.payment_unavailable({ detail, headers: { 'Retry-After': '5' } })
}

function refusalFor(end: Extract<ChargeOutcome, { status: 'declined' | 'unanswered' }>): Problem {
  if (end.status === 'declined') {
    const { reason } = end
    return orderProblems.payment_declined({
      detail: `${DECLINE_REASONS[reason]} The customer can pay the order again.`,
      members: { reason },
    })
  }
  if (end.because === 'token_unknown') {
    return tokenProblem('payment_token_unknown', 'The payment provider does not know this token.')
  }
  return unavailable('Nothing was charged. Repeat the request.')
}
