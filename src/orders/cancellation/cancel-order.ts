import type { Trx } from '../../platform/db/index.ts'
import { abandonItemFiles } from '../item-files/store.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import { recordChange, requireAction, requireLockedOrder, transitionOrder } from '../order/change/change-order.ts'
import { nextItemFilesStatus, refundable } from '../order/state.ts'
import type { Order, OrderKey } from '../order/store.ts'
import { supersedeAttempt } from '../payments/attempts/supersede-attempt.ts'
import { recordReservation, reserveRefund } from '../payments/refunds/refund-order.ts'
import { recountUnpaid } from './recount-unpaid.ts'

/**
 * Cancels an order. Reserves the captured amount for a refund in the same transaction; `executeReserved` makes the
 * refund. A cancelled order stays unchanged.
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
  const before = await supersedeAttempt(trx, order, context.now)
  await transitionOrder(trx, order, 'cancel')
  const unfinished = order.items.filter((item) => nextItemFilesStatus(item, 'fail') !== undefined)
  await abandonItemFiles(
    trx,
    order.id,
    unfinished.map(({ id }) => id),
  )
  const amount = refundable(order)
  const refund = { amount, reason: 'The order was cancelled.' }
  const id = amount > 0 ? await reserveRefund(trx, context, order, refund) : undefined
  const cancelled = await recordChange(trx, context, order.id, [...before, { type: 'order.cancelled', reason }])
  const refunding = id === undefined ? cancelled : await recordReservation(trx, context, cancelled, { id, ...refund })
  if (order.status === 'confirmed') await recountUnpaid(trx, order, context.now)
  return refunding
}
