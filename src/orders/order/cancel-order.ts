import type { Trx } from '../../platform/db/index.ts'
import type { ActionContext } from '../context.ts'
import { abandonItemFiles } from '../item-files/store.ts'
import { refundable, refundPayment } from '../payments/refund-order.ts'
import { refuseWhilePaying } from '../payments/store.ts'
import { moveOrder, recordChange, requireAction, requireLockedOrder } from './change-order.ts'
import { nextItemFilesStatus } from './state.ts'
import type { Order, OrderKey } from './store.ts'

/**
 * Cancels an order and gives back what was paid for it, all in one. Again: changes nothing.
 *
 * @throws `order_not_found`, `order_action_refused`, `payment_in_progress`
 */
export async function cancelOrder(
  trx: Trx,
  context: ActionContext,
  key: OrderKey,
  reason: string | undefined,
): Promise<Order> {
  const order = await requireLockedOrder(trx, key)
  if (order.status === 'cancelled') return order
  requireAction(order, 'cancel')
  await refuseWhilePaying(trx, order.payment.id)
  await moveOrder(trx, order, 'cancel')
  const unfinished = order.items.filter((item) => nextItemFilesStatus(item, 'give_up') !== undefined)
  await abandonItemFiles(
    trx,
    order.id,
    unfinished.map(({ id }) => id),
  )
  const amount = refundable(order)
  if (amount > 0) await refundPayment(trx, order, { amount, reason: 'The order was cancelled.', at: context.now })
  return recordChange(trx, context, order.id, [
    { type: 'order.cancelled', reason },
    ...(amount > 0 ? [{ type: 'payment.refunded' }] : []),
  ])
}
