import type { Trx } from '../../platform/db/index.ts'
import type { EventType } from '../../platform/outbox.ts'
import type { ActionContext } from '../context.ts'
import { type Happening, moveOrder, recordChange, requireAction, requireLockedOrder } from '../order/change-order.ts'
import type { HeldStatus } from '../order/state.ts'
import type { Order, OrderKey } from '../order/store.ts'

/** A release leads back to where the order was held, and the event says where that is. */
const RELEASED: Readonly<Record<HeldStatus, EventType>> = {
  confirmed: 'order.confirmed',
  in_production: 'order.in_production',
}

const HAPPENINGS = {
  hold: () => ({ type: 'order.on_hold' }),
  release: ({ heldStatus }: Order): Happening => ({
    type: 'order.released',
    ...(heldStatus === null ? {} : { event: RELEASED[heldStatus] }),
  }),
  start_production: () => ({ type: 'order.in_production' }),
}

/**
 * Actions for which the table alone decides.
 *
 * @param reason shown to the customer
 * @throws `order_not_found`, `order_action_refused`
 */
export async function advanceOrder(
  trx: Trx,
  context: ActionContext,
  key: OrderKey,
  action: keyof typeof HAPPENINGS,
  reason?: string,
): Promise<Order> {
  const order = await requireLockedOrder(trx, key)
  requireAction(order, action)
  await moveOrder(trx, order, action)
  return recordChange(trx, context, order.id, [{ ...HAPPENINGS[action](order), reason }])
}
