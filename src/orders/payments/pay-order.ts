import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { type ActingPerson, type ActionContext, contextFor, type OrderDeps } from '../context.ts'
import { actionRefused, recordChange, requireAction, requireLockedOrder } from '../order/change-order.ts'
import { nextPaymentStatus, PAYMENT_BY_ARRANGEMENT } from '../order/state.ts'
import { findOrder, type Order, type OrderKey } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import type { ChargeOutcome, PaymentProvider } from './provider.ts'
import { capturePayment } from './record-payment.ts'
import {
  endAttempt,
  insertAttempt,
  type PaymentAttempt,
  refuseWhilePaying,
  setPaymentStatus,
  takeOverAttempts,
} from './store.ts'

/** Longer than any provider is waited for; an attempt still open then was left by a process that died. */
const LEASE_SECONDS = 60

export interface PayRequest {
  token: string | undefined
  payer: ActingPerson
}

/**
 * Charges an order's total through the provider and confirms the order.
 *
 * The attempt is written before the provider is asked and its outcome after, each in a transaction of its own:
 * no lock is held while the provider takes its time, two at once cannot both charge, and what a killed process
 * left behind is finished under its own id, which is charged once however often it is asked for.
 *
 * @param commit runs the transaction that answers the request
 * @throws `order_not_found`, `order_action_refused`, `payment_in_progress`, `payment_token_required`,
 *   `payment_token_unknown`, `payment_declined`, `payment_unavailable`
 */
export async function payOrder<Answer>(
  deps: OrderDeps,
  key: OrderKey,
  { token, payer }: PayRequest,
  commit: (work: (trx: Trx) => Promise<Order>) => Promise<Answer>,
): Promise<Answer> {
  const order = await requireOrder(deps, key)
  const provider = requireProvider(deps, order)
  const usable = requireToken(provider, token)
  if (await finishLeftAttempts(deps, order.id)) return commit((trx) => requireLockedOrder(trx, key))

  const context = contextFor(deps, payer)
  const attempt = await beginAttempt(deps, context, key, { provider: provider.name, token: usable })
  const outcome = await charge(provider, attempt)
  if (outcome.status === 'captured') return commit((trx) => settle(trx, deps, context, attempt, outcome))
  await deps.db.transaction().execute((trx) => settle(trx, deps, context, attempt, outcome))
  throw outcome.status === 'declined' ? orderProblems.payment_declined() : unavailable()
}

/**
 * Asks the provider about attempts that nobody waits for any more, and settles them.
 *
 * @param orderId only this order's; otherwise all
 * @returns whether one of them was paid
 */
export async function finishLeftAttempts(deps: OrderDeps, orderId?: string): Promise<boolean> {
  const { provider } = deps
  if (provider === undefined) return false
  const now = deps.clock.now()
  const leasedUntil = addSeconds(now, LEASE_SECONDS)
  const scope = { provider: provider.name, ...(orderId === undefined ? {} : { orderId }) }
  const left = await takeOverAttempts(deps.db, { ...scope, now, leasedUntil })
  let paid = false
  const failures: unknown[] = []
  for (const attempt of left) {
    // One that cannot be cleared up yet does not hold up the others.
    try {
      const outcome = await charge(provider, attempt)
      const context = contextFor(deps, { by: 'system', userId: null })
      await deps.db.transaction().execute((trx) => settle(trx, deps, context, attempt, outcome))
      paid ||= outcome.status === 'captured'
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return paid
}

async function requireOrder({ db }: OrderDeps, key: OrderKey): Promise<Order> {
  const order = await findOrder(db, key)
  if (order === undefined) throw orderProblems.order_not_found()
  return order
}

function requireProvider({ provider }: OrderDeps, order: Order): PaymentProvider {
  if (provider === undefined) throw actionRefused(order, PAYMENT_BY_ARRANGEMENT)
  return provider
}

function requireToken(provider: PaymentProvider, token: string | undefined): string {
  const problem = (code: 'payment_token_required' | 'payment_token_unknown', detail: string) =>
    orderProblems[code]({ errors: [{ code, pointer: '/token', detail }] })
  if (token === undefined) throw problem('payment_token_required', `The provider "${provider.name}" needs a token.`)
  if (!provider.knowsToken(token)) throw problem('payment_token_unknown', 'The provider does not know this token.')
  return token
}

async function beginAttempt(
  deps: OrderDeps,
  { now }: ActionContext,
  key: OrderKey,
  means: { provider: string; token: string },
): Promise<PaymentAttempt> {
  return deps.db.transaction().execute(async (trx) => {
    const order = await requireLockedOrder(trx, key)
    requireAction(order, 'pay')
    const { payment, amounts } = order
    await refuseWhilePaying(trx, payment.id)
    const retried = nextPaymentStatus(payment.status, 'retry')
    if (retried !== undefined) await setPaymentStatus(trx, payment.id, retried)
    const leasedUntil = addSeconds(now, LEASE_SECONDS)
    const id = await insertAttempt(trx, { paymentId: payment.id, ...means, at: now, leasedUntil })
    const { amount } = payment
    return { id, orderId: order.id, paymentId: payment.id, ...means, amount, currency: amounts.currency }
  })
}

async function charge(provider: PaymentProvider, attempt: PaymentAttempt): Promise<ChargeOutcome> {
  const { id, amount, currency, token } = attempt
  try {
    return await provider.charge({ attemptId: id, amount, currency, token })
  } catch (cause) {
    // The attempt stays open and is finished later, so this order cannot be charged twice meanwhile.
    const problem = unavailable(
      'It is not known yet whether the payment went through. Read the order again in a minute or two.',
    )
    problem.cause = cause
    throw problem
  }
}

function unavailable(detail = 'Nothing was charged. Try again.') {
  return orderProblems.payment_unavailable({ detail, headers: { 'Retry-After': '5' } })
}

/** Applies the outcome of an attempt, once: a second process that learned of it finds it settled. */
async function settle(
  trx: Trx,
  deps: OrderDeps,
  context: ActionContext,
  attempt: PaymentAttempt,
  outcome: ChargeOutcome,
): Promise<Order> {
  const order = await requireLockedOrder(trx, { id: attempt.orderId })
  const current = { ...context, now: deps.clock.now() }
  if (!(await endAttempt(trx, attempt.id, outcome.status, current.now))) return order
  if (outcome.status === 'captured') {
    return capturePayment(trx, current, order, { method: attempt.provider, reference: outcome.reference })
  }
  const failed = nextPaymentStatus(order.payment.status, 'fail')
  if (outcome.status === 'unanswered' || failed === undefined) return order
  await setPaymentStatus(trx, order.payment.id, failed)
  return recordChange(trx, current, order.id, [{ type: 'payment.failed' }])
}
