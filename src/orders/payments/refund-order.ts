import type { Trx } from '../../platform/db/index.ts'
import type { ActionContext } from '../context.ts'
import { actionRefused, recordChange, requireAction, requireLockedOrder } from '../order/change-order.ts'
import { type PositiveMoney, toMoney } from '../order/money.ts'
import { nextPaymentStatus } from '../order/state.ts'
import type { Order, OrderKey, OrderRefund } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { insertRefund } from './store.ts'

/** What was paid and not yet given back, in minor units. */
export function refundable({ payment }: Order): number {
  return payment.capturedAmount - payment.refundedAmount
}

/**
 * Gives money back, without changing the order itself.
 *
 * @param request without an amount: all that is left
 * @returns the order after the refund, and the refund
 * @throws `order_not_found`, `order_action_refused`, `refund_too_large`
 */
export async function refundOrder(
  trx: Trx,
  context: ActionContext,
  key: OrderKey,
  request: { amount?: PositiveMoney; reason?: string },
): Promise<{ order: Order; refund: OrderRefund }> {
  const order = await requireLockedOrder(trx, key)
  requireAction(order, 'refund')
  const amount = request.amount === undefined ? refundable(order) : checkAmount(order, request.amount)
  const id = await refundPayment(trx, order, { amount, reason: request.reason ?? null, at: context.now })
  const changed = await recordChange(trx, context, order.id, [{ type: 'payment.refunded', reason: request.reason }])
  const refund = changed.payment.refunds.find((one) => one.id === id)
  if (refund === undefined) throw new Error(`refund ${id} is gone from its own transaction`)
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

/** Writes a refund of a locked order's payment. Returns its id. */
export async function refundPayment(
  trx: Trx,
  order: Order,
  { amount, reason, at }: { amount: number; reason: string | null; at: Date },
): Promise<string> {
  const event = amount === refundable(order) ? 'refund_rest' : 'refund_part'
  const status = nextPaymentStatus(order.payment.status, event)
  if (status === undefined) throw actionRefused(order, `The payment is ${order.payment.status}.`)
  return insertRefund(trx, order.payment.id, { amount, reason, status, at })
}
