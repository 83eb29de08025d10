import type { Trx } from '../../../platform/db/index.ts'
import type { ActionContext } from '../../order/change/action-context.ts'
import { recordChange, requireAction, requireLockedOrder } from '../../order/change/change-order.ts'
import { type PositiveMoney, toMoney } from '../../order/money.ts'
import { nextPaymentStatus, refundable } from '../../order/state.ts'
import type { Order, OrderKey, OrderRefund } from '../../order/store.ts'
import { orderProblems } from '../../problems.ts'
import { findProvider, type PaymentProviders } from '../providers/providers.ts'
import { addRefunded, endRefund, insertRefund } from './store.ts'

/** Method of payments that operators record. Operators also make the refunds of such payments by hand. */
const BY_HAND = 'manual'

/**
 * Reserves an amount for a refund. A refund through a provider is executed after the transaction (`executeRefund`). A
 * refund by hand succeeds within the transaction.
 *
 * @param request without an `amount`, the refundable amount is refunded
 * @returns the order with the refund, and the refund
 * @throws `order_not_found`, `order_action_refused`, `refund_too_large`, `refund_amount_refused`,
 *   `payment_provider_missing`
 */
export async function refundOrder(
  trx: Trx,
  context: ActionContext,
  key: OrderKey,
  request: { amount?: PositiveMoney; reason?: string },
  providers: PaymentProviders,
): Promise<{ order: Order; refund: OrderRefund }> {
  const order = await requireLockedOrder(trx, key)
  requireAction(order, 'refund')
  const amount = request.amount === undefined ? refundable(order) : checkAmount(order, request.amount)
  if (order.payment.method !== BY_HAND) requireProvider(providers, order, amount)
  const id = await reserveRefund(trx, context, order, { amount, reason: request.reason ?? null })
  const changed = await recordReservation(trx, context, order, { id, amount, reason: request.reason })
  const refund = changed.payment.refunds.find((one) => one.id === id)
  if (refund === undefined) throw new Error(`refund ${id} disappeared within its transaction`)
  return { order: changed, refund }
}

function checkAmount(order: Order, { amount, currency }: PositiveMoney): number {
  const left = refundable(order)
  if (currency === order.amounts.currency && amount <= left) return amount
  throw orderProblems.refund_too_large({
    members: { refundable: toMoney(left, order.amounts.currency) },
    errors: [
      {
        code: 'refund_too_large',
        pointer: '/amount',
        detail: `At most ${left} minor units of ${order.amounts.currency} are left to refund.`,
      },
    ],
  })
}

function requireProvider(providers: PaymentProviders, { payment, amounts }: Order, amount: number): void {
  const provider = payment.method === null ? undefined : findProvider(providers, payment.method)
  if (provider === undefined) {
    throw orderProblems.payment_provider_missing(
      `The order was paid through "${payment.method}", which is no longer configured in this installation.`,
    )
  }
  const refusal = provider.refusalOf(amount, amounts.currency)
  if (refusal === undefined) return
  throw orderProblems.refund_amount_refused({
    detail: refusal,
    errors: [{ code: 'refund_amount_refused', pointer: '/amount', detail: refusal }],
  })
}

/** Inserts a refund, which reserves its amount. Returns the id of the refund. */
export async function reserveRefund(
  trx: Trx,
  { now, actor }: ActionContext,
  { payment }: Order,
  { amount, reason }: { amount: number; reason: string | null },
): Promise<string> {
  const provider = payment.method ?? BY_HAND
  return insertRefund(trx, { paymentId: payment.id, amount, reason, provider, actor, at: now })
}

/** Records the reservation of a refund in the timeline. A refund by hand succeeds at once. */
export async function recordReservation(
  trx: Trx,
  context: ActionContext,
  order: Order,
  { id, amount, reason }: { id: string; amount: number; reason?: string | undefined },
): Promise<Order> {
  if (order.payment.method !== BY_HAND) return recordChange(trx, context, order.id, [])
  const { payment } = order
  await endRefund(trx, { id, paymentId: payment.id, amount }, { status: 'succeeded', reference: null, at: context.now })
  return recordRefunded(trx, context, order, { amount, reason })
}

export async function recordRefunded(
  trx: Trx,
  context: ActionContext,
  { id, payment }: Order,
  { amount, reason }: { amount: number; reason?: string | undefined },
): Promise<Order> {
  const isRest = payment.refundedAmount + amount === payment.capturedAmount
  const status = nextPaymentStatus(payment.status, isRest ? 'refund_rest' : 'refund_part')
  if (status === undefined) throw new Error(`order ${id}: a payment that is ${payment.status} was refunded`)
  await addRefunded(trx, payment.id, { amount, status })
  return recordChange(trx, context, id, [{ type: 'payment.refunded', reason }])
}
