import type { Trx } from '../../platform/db/index.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import { actionRefused, recordChange, requireLockedOrder } from '../order/change/change-order.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import type { OrderStatus } from '../order/state.ts'
import type { Order, OrderKey } from '../order/store.ts'
import { changeShippingAddress } from '../postal-address/change-shipping-address.ts'
import { checkPostalAddress } from '../postal-address/check-postal-address.ts'

/** Statuses of orders of which no parcel has left. */
const NOTHING_SHIPPED: readonly OrderStatus[] = ['awaiting_payment', 'confirmed', 'in_production', 'on_hold']

/**
 * Corrects the postal address of an order of which nothing has shipped. The same address again changes nothing.
 *
 * @throws `order_not_found`, `order_action_refused`, `address_invalid`, `address_destination_changed`
 */
export async function correctShippingAddress(
  trx: Trx,
  context: ActionContext,
  key: OrderKey,
  address: PostalAddress,
): Promise<Order> {
  const order = await requireLockedOrder(trx, key)
  if (!NOTHING_SHIPPED.includes(order.status)) {
    const detail = `The order is ${order.status}. Its postal address can change only before a parcel leaves.`
    throw actionRefused(order, detail)
  }
  const changes = await changeShippingAddress(trx, order, checkPostalAddress(address))
  return changes.length === 0 ? order : recordChange(trx, context, order.id, changes)
}
