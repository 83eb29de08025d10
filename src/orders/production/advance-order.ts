import type { Trx } from '../../platform/db/index.ts'
import { forgetNewcomer } from '../../platform/newcomers.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import {
  type OrderChange,
  recordChange,
  releaseChange,
  requireAction,
  requireLockedOrder,
  transitionOrder,
} from '../order/change/change-order.ts'
import type { HoldResolution } from '../order/state.ts'
import type { Order, OrderKey } from '../order/store.ts'

const CHANGES = {
  hold: () => ({ type: 'order.on_hold' }),
  release: releaseChange,
  start_production: () => ({ type: 'order.in_production' }),
} satisfies Record<string, (order: Order) => OrderChange>

/**
 * Applies an action to an order whose status alone decides whether the action is allowed.
 *
 * @param reason shown to the customer
 * @param resolution for a hold: what the customer can do about it
 * @throws `order_not_found`, `order_action_refused`
 */
export async function advanceOrder(
  trx: Trx,
  context: ActionContext,
  key: OrderKey,
  action: keyof typeof CHANGES,
  reason?: string,
  resolution?: HoldResolution,
): Promise<Order> {
  const order = await requireLockedOrder(trx, key)
  requireAction(order, action)
  await transitionOrder(trx, order, action, { resolution })
  // Until now, the owner could cancel and get the payment back.
  if (action === 'start_production') await forgetNewcomer(trx, order.ownerId)
  return recordChange(trx, context, order.id, [{ ...CHANGES[action](order), reason }])
}
