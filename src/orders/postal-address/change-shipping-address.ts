import { isDeepStrictEqual } from 'node:util'
import type { Trx } from '../../platform/db/index.ts'
import type { OrderChange } from '../order/change/change-order.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import type { Order } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { setShippingAddress } from './store.ts'
import { findSubdivision } from './subdivisions.ts'

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
