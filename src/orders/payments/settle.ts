import type { Trx } from '../../platform/db/index.ts'
import type { ActionContext } from '../context.ts'
import { recordChange, requireLockedOrder } from '../order/change-order.ts'
import { nextPaymentStatus } from '../order/state.ts'
import type { Order } from '../order/store.ts'
import type { PaymentDeps } from './providers/find-provider.ts'
import { capturePayment } from './record-payment.ts'
import { endAttempt, type PaymentAttempt, setPaymentStatus } from './store.ts'
import type { ChargeEnd } from './take-charge.ts'

/** Applies the outcome of an attempt, once: a second process that learned of it finds it settled. */
export async function settle(
  trx: Trx,
  { clock }: PaymentDeps,
  context: ActionContext,
  attempt: PaymentAttempt,
  end: Exclude<ChargeEnd, { status: 'action_required' }>,
): Promise<Order> {
  const order = await requireLockedOrder(trx, { id: attempt.orderId })
  const current = { ...context, now: clock.now() }
  const ended = await endAttempt(trx, attempt.id, end.status, current.now)
  if (ended === undefined) return order
  if (end.status === 'captured') {
    return capturePayment(trx, current, order, { method: attempt.provider, reference: ended.reference })
  }
  // What was held is held no more; the table knows no way back, so the payment stays as it is until it is paid again.
  if (order.payment.status === 'authorized') {
    return recordChange(trx, current, order.id, [{ type: 'payment.authorization_lost' }])
  }
  const failed = nextPaymentStatus(order.payment.status, 'fail')
  if (end.status === 'unanswered' || failed === undefined) return order
  await setPaymentStatus(trx, order.payment.id, failed)
  return recordChange(trx, current, order.id, [{ type: 'payment.failed' }])
}
