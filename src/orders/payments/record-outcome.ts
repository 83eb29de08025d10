import { uncountOperation } from '../../auth/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import { growUnpaid } from '../../platform/storage/index.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import { recordChange, requireLockedOrder } from '../order/change/change-order.ts'
import { nextPaymentStatus } from '../order/state.ts'
import type { Order } from '../order/store.ts'
import { attemptsOf } from './attempts/attempts-of.ts'
import { endAttempt, type LeasedAttempt, setPaymentStatus } from './attempts/store.ts'
import type { ChargeOutcome } from './attempts/take-charge.ts'
import type { RefusedCharge } from './providers/provider.ts'
import type { PaymentDeps } from './providers/providers.ts'
import { capturePayment } from './record-payment.ts'

/**
 * Applies the outcome of an attempt once, if the caller still holds its lease.
 *
 * @returns the order, and whether the outcome was applied
 */
export async function recordOutcome(
  trx: Trx,
  { clock }: PaymentDeps,
  context: ActionContext,
  attempt: LeasedAttempt,
  end: Exclude<ChargeOutcome, { status: 'action_required' }>,
): Promise<{ order: Order; isApplied: boolean }> {
  const order = await requireLockedOrder(trx, { id: attempt.orderId })
  const current = { ...context, now: clock.now() }
  const ended = await endAttempt(trx, attempt, end.status, current.now)
  if (ended === undefined) return { order, isApplied: false }
  if (end.status === 'captured') {
    const { reference } = ended
    for (const counted of attemptsOf(order.ownerId)) await uncountOperation(trx, counted, attempt.startedAt)
    return {
      order: await capturePayment(trx, current, order, { method: attempt.provider, reference }),
      isApplied: true,
    }
  }
  return { order: await recordFailure(trx, current, order, end), isApplied: true }
}

async function recordFailure(
  trx: Trx,
  context: ActionContext,
  order: Order,
  { status }: RefusedCharge,
): Promise<Order> {
  const failed = nextPaymentStatus(order.payment.status, 'fail')
  const isAuthorizationLost = order.payment.status === 'authorized'
  if ((status === 'unanswered' && !isAuthorizationLost) || failed === undefined) return order
  await setPaymentStatus(trx, order.payment.id, failed)
  const type = isAuthorizationLost ? 'payment.authorization_lost' : 'payment.failed'
  const changed = await recordChange(trx, context, order.id, [{ type, event: 'payment.failed' }])
  // The event has the whole order, so it counts as the order does.
  await growUnpaid(trx, order.id, Buffer.byteLength(JSON.stringify(changed)))
  return changed
}
