import { addSeconds } from '../../../platform/clock.ts'
import { contextFor } from '../../order/change/action-context.ts'
import { recordChange, requireLockedOrder, requireOrder } from '../../order/change/change-order.ts'
import { refundable } from '../../order/state.ts'
import type { Order, OrderRefund } from '../../order/store.ts'
import { orderProblems } from '../../problems.ts'
import { scheduleCheck } from '../attempts/schedule-check.ts'
import type { PaymentAttempt } from '../attempts/store.ts'
import type { KnownRefund, PaymentProvider, RefundState } from '../providers/provider.ts'
import {
  findProvider,
  LEASE_SECONDS,
  listProviders,
  MAX_FAILURES,
  MAX_PER_RUN,
  type PaymentDeps,
} from '../providers/providers.ts'
import { recordRefunded, reserveRefund } from './refund-order.ts'
import {
  endRefund,
  type LeasedRefund,
  leaseRefund,
  listRefundsOf,
  type Refund,
  reopenRefund,
  setRefundFailure,
  setRefundReference,
} from './store.ts'

/**
 * Requests reserved refunds from their providers. A refund whose outcome is unknown stays pending, and a later run
 * requests it again under the same id.
 *
 * @param orderId executes only the refunds of this order
 */
export async function executeRefunds(
  deps: PaymentDeps,
  { orderId, signal }: { orderId?: string; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  let missing = 0
  for (let count = 0; count < MAX_PER_RUN && signal?.aborted !== true; count += 1) {
    const now = deps.clock.now()
    const scope = { now, leasedUntil: addSeconds(now, LEASE_SECONDS), ...(orderId === undefined ? {} : { orderId }) }
    const refund = await leaseRefund(deps.db, { providers: listProviders(deps), ...scope })
    if (refund === undefined) break
    const provider = findProvider(deps, refund.provider)
    if (provider === undefined) break
    try {
      await recordRefundState(deps, refund, await provider.refund(refund))
    } catch (error) {
      // The refund stays pending, because its outcome is unknown.
      deps.log.warn(
        { err: error, refundId: refund.id, provider: provider.name },
        'the outcome of a refund is unknown; the service repeats the request',
      )
      missing += 1
      if (missing === MAX_FAILURES) break
    }
  }
}

/**
 * Executes the refunds that an action has reserved for an order. If the process is killed before it executes them, a
 * job does.
 *
 * @returns the order with the results of the refunds
 */
export async function executeReserved(deps: PaymentDeps, order: Order): Promise<Order> {
  if (order.payment.refunds.every(({ status }) => status !== 'pending')) return order
  await executeRefunds(deps, { orderId: order.id })
  return requireOrder(deps.db, { id: order.id })
}

/**
 * Executes a reserved refund.
 *
 * @throws `refund_refused`
 */
export async function executeRefund(deps: PaymentDeps, order: Order, { id }: OrderRefund): Promise<Refund> {
  await executeReserved(deps, order)
  const refund = (await listRefundsOf(deps.db, order.id)).find((one) => one.id === id)
  if (refund === undefined) throw new Error(`refund ${id} disappeared`)
  if (refund.status !== 'failed') return refund
  const members = refund.failure === null ? {} : { failure: refund.failure }
  throw orderProblems.refund_refused({ members })
}

/** Records the state that a provider states for a refund. A repeated call records nothing more. */
async function recordRefundState(deps: PaymentDeps, refund: Refund | LeasedRefund, state: RefundState): Promise<void> {
  if (state.status === 'pending') {
    if (refund.reference !== state.reference) await setRefundReference(deps.db, refund.id, state.reference)
    return
  }
  await deps.db.transaction().execute(async (trx) => {
    const order = await requireLockedOrder(trx, { id: refund.orderId })
    const context = contextFor(deps, refund.actor)
    if (!(await endRefund(trx, refund, { ...state, at: context.now }))) return
    const { amount, reason } = refund
    if (state.status === 'succeeded') {
      await recordRefunded(trx, context, order, { amount, reason: reason ?? undefined })
    } else {
      deps.log.warn(
        { refundId: refund.id, provider: refund.provider, failure: state.failure },
        'the payment provider refused a refund',
      )
      await recordChange(trx, context, order.id, [{ type: 'payment.refund_failed' }])
      // The provider may have refused because a refund that the shop made directly with the provider left too little.
      // The check records such a refund.
      const { provider, chargeReference } = refund
      if (chargeReference !== null) await scheduleCheck(trx, { provider, reference: chargeReference })
    }
  })
}

/**
 * Compares the refunds of a charge with those that the provider lists, and records refunds that were made directly with
 * the provider.
 */
export async function reconcileRefunds(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: PaymentAttempt,
): Promise<void> {
  const known = await provider.listRefunds(attempt)
  const ours = await listRefundsOf(deps.db, attempt.orderId)
  for (const theirs of known) {
    const refund = ours.find(({ id, reference }) => id === theirs.id || reference === theirs.reference)
    if (refund === undefined) await recordForeignRefund(deps, provider, attempt, theirs)
    else if (refund.status === 'pending') await recordRefundState(deps, refund, theirs.state)
    else if (refund.status === 'failed') await recordLateRefund(deps, refund, theirs)
    else if (refund.status === 'succeeded' && theirs.state.status === 'failed') {
      await recordReturnedRefund(deps, refund, theirs.state.failure)
    }
  }
}

/** Records a refund that failed here but succeeded at the provider. The record must match the money that has moved. */
async function recordLateRefund(deps: PaymentDeps, refund: Refund, { reference, state }: KnownRefund): Promise<void> {
  if (state.status === 'failed') return
  const { id, orderId, amount } = refund
  await deps.db.transaction().execute(async (trx) => {
    const order = await requireLockedOrder(trx, { id: orderId })
    if (amount > refundable(order)) {
      deps.log.error(
        { orderId, refundId: id, reference, amount },
        'a refund exceeds the refundable amount of its order',
      )
      return
    }
    if (!(await reopenRefund(trx, refund, { reference, at: deps.clock.now() }))) return
    deps.log.error(
      { orderId, refundId: id, reference, amount },
      'the provider made a refund that was recorded as failed',
    )
    if (state.status !== 'succeeded') return
    await endRefund(trx, refund, { status: 'succeeded', reference, at: deps.clock.now() })
    await recordRefunded(trx, contextFor(deps, refund.actor), order, { amount, reason: refund.reason ?? undefined })
  })
}

async function recordForeignRefund(
  deps: PaymentDeps,
  provider: PaymentProvider,
  { orderId }: PaymentAttempt,
  { reference, amount, state }: KnownRefund,
): Promise<void> {
  if (state.status !== 'succeeded') return
  await deps.db.transaction().execute(async (trx) => {
    const order = await requireLockedOrder(trx, { id: orderId })
    const refunds = await listRefundsOf(trx, orderId)
    if (refunds.some((refund) => refund.reference === reference)) return
    // A pending refund may reserve too much of the amount. If that refund fails, the charge is checked again.
    if (amount > refundable(order)) {
      deps.log.error(
        { orderId, provider: provider.name, reference, amount },
        'a refund made with the payment provider exceeds the refundable amount of its order',
      )
      return
    }
    const context = contextFor(deps, { by: 'system', userId: null })
    const reason = `Refunded directly with ${provider.name}.`
    const id = await reserveRefund(trx, context, order, { amount, reason })
    await endRefund(
      trx,
      { id, paymentId: order.payment.id, amount },
      { status: 'succeeded', reference, at: context.now },
    )
    await recordRefunded(trx, context, order, { amount, reason })
  })
}

/**
 * Records that the bank rejected a refund, so that the money is at the provider again. The shop must return it in
 * another way.
 */
async function recordReturnedRefund(
  deps: PaymentDeps,
  { id, orderId, amount }: Refund,
  failure: string,
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    await requireLockedOrder(trx, { id: orderId })
    if (!(await setRefundFailure(trx, id, failure))) return
    deps.log.error({ orderId, refundId: id, amount, failure }, 'the bank returned a refund that had succeeded')
    const context = contextFor(deps, { by: 'system', userId: null })
    await recordChange(trx, context, orderId, [{ type: 'payment.refund_returned' }])
  })
}
