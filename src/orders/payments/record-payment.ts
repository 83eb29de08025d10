import type { Trx } from '../../platform/db/index.ts'
import { markPaid } from '../../platform/storage/index.ts'
import { drawWhenPaid } from '../item-files/prepare-item-files.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import {
  actionRefused,
  type OrderChange,
  recordChange,
  requireAction,
  requireLockedOrder,
  transitionOrder,
} from '../order/change/change-order.ts'
import { addWorkingDays } from '../order/due-time.ts'
import type { PositiveMoney } from '../order/money.ts'
import { nextPaymentStatus, type PaymentEvent, type PaymentStatus } from '../order/state.ts'
import { type Order, type OrderKey, setDueAt } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { findMethod } from '../shipping/store.ts'
import { setCaptured } from './attempts/store.ts'
import { supersedeAttempt } from './attempts/supersede-attempt.ts'

/**
 * Records a payment that was made by other means than the provider, and confirms the order.
 *
 * @param request an `amount`, if stated, must equal the total of the order
 * @throws `order_not_found`, `order_action_refused`, `payment_in_progress`, `payment_amount_mismatch`
 */
export async function recordPayment(
  trx: Trx,
  context: ActionContext,
  key: OrderKey,
  request: { reference?: string; amount?: PositiveMoney },
): Promise<Order> {
  const order = await requireLockedOrder(trx, key)
  requireAction(order, 'record_payment')
  if (request.amount !== undefined) requireTotal(order, request.amount)
  const before = await supersedeAttempt(trx, order, context.now)
  return capturePayment(trx, context, order, { method: 'manual', reference: request.reference ?? null }, before)
}

function requireTotal({ amounts }: Order, { amount, currency }: PositiveMoney): void {
  if (amount === amounts.total && currency === amounts.currency) return
  throw orderProblems.payment_amount_mismatch({
    errors: [
      {
        code: 'payment_amount_mismatch',
        pointer: '/amount',
        detail: `The total is ${amounts.total} minor units of ${amounts.currency}; partial payments are not possible.`,
      },
    ],
  })
}

const STEPS_TO_CAPTURE: Readonly<Partial<Record<PaymentStatus, readonly PaymentEvent[]>>> = {
  pending: ['authorize', 'capture'],
  authorized: ['capture'],
  failed: ['retry', 'authorize', 'capture'],
}

/**
 * Marks a locked order as paid in full, and confirms it.
 *
 * @param before changes that precede the payment in the timeline
 */
export async function capturePayment(
  trx: Trx,
  context: ActionContext,
  order: Order,
  { method, reference }: { method: string; reference: string | null },
  before: readonly OrderChange[] = [],
): Promise<Order> {
  const { id, status } = order.payment
  if (nextPaymentStatus(status, ...(STEPS_TO_CAPTURE[status] ?? ['capture'])) !== 'captured') {
    throw actionRefused(order, `The payment is ${status}.`)
  }
  await setCaptured(trx, id, { method, reference, at: context.now })
  await transitionOrder(trx, order, 'confirm')
  const shipping = await findMethod(trx, order.shippingMethod)
  if (shipping !== undefined) await setDueAt(trx, order.id, addWorkingDays(context.now, shipping.estimatedDays.max))
  await drawWhenPaid(trx, order.id, context.now)
  await markPaid(trx, [order.id, ...order.items.map(({ designId }) => designId)], context.now)
  return recordChange(trx, context, order.id, [...before, { type: 'payment.captured' }, { type: 'order.confirmed' }])
}
