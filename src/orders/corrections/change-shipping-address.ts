import { isDeepStrictEqual } from 'node:util'
import type { Trx } from '../../platform/db/index.ts'
import type { ActionContext } from '../order/action-context.ts'
import { actionRefused, type OrderChange, recordChange, requireLockedOrder } from '../order/change-order.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import type { OrderStatus } from '../order/state.ts'
import type { Order, OrderKey } from '../order/store.ts'
import { checkPostalAddress } from '../postal-address/check-postal-address.ts'
import { findSubdivision } from '../postal-address/subdivisions.ts'
import { orderProblems } from '../problems.ts'
import { setShippingAddress } from './store.ts'

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

/**
 * Changes the postal address of a locked order. Country and region must stay the same, because shipping and tax depend
 * on them and are not calculated again.
 *
 * @returns what to record in the timeline
 */
export async function changeShippingAddress(trx: Trx, order: Order, address: PostalAddress): Promise<OrderChange[]> {
  const before = order.shippingAddress
  if (address.country !== before.country) throw destinationChanged(before, 'country')
  if (regionOf(address) !== regionOf(before)) throw destinationChanged(before, 'region')
  if (isDeepStrictEqual(address, before)) return []
  await setShippingAddress(trx, order.id, address)
  return [{ type: 'order.address_changed' }]
}

function destinationChanged(before: PostalAddress, name: 'country' | 'region') {
  const detail =
    before[name] === undefined
      ? `The shipping address of the order has no ${name}.`
      : `The order is shipped to ${before[name]}.`
  return orderProblems.address_destination_changed({
    errors: [{ code: 'address_destination_changed', pointer: `/shippingAddress/${name}`, detail }],
  })
}

/** Returns a value by which two regions can be compared: the code, or for an unknown region its text. */
function regionOf({ country, region }: PostalAddress): string | undefined {
  return region === undefined ? undefined : (findSubdivision(country, region) ?? region.trim().toLowerCase())
}
