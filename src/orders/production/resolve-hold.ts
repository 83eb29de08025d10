import { isDeepStrictEqual } from 'node:util'
import type { Trx } from '../../platform/db/index.ts'
import type { ProblemDetail } from '../../platform/problem.ts'
import type { ActionContext } from '../order/action-context.ts'
import {
  actionRefused,
  type OrderChange,
  recordChange,
  releaseChange,
  requireAction,
  requireLockedOrder,
  transitionOrder,
} from '../order/change-order.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import { HOLD_RULES, type HoldRule } from '../order/state.ts'
import type { Order, OrderKey } from '../order/store.ts'
import { checkPostalAddress } from '../postal-address/check-postal-address.ts'
import { findSubdivision } from '../postal-address/subdivisions.ts'
import { orderProblems } from '../problems.ts'
import type { ResolveHoldRequest } from './schemas.ts'
import { setHoldAnsweredAt, setShippingAddress } from './store.ts'

/**
 * Applies the reply of a customer to a hold. The kind of the hold determines whether the order continues or the shop
 * decides.
 *
 * @throws `order_not_found`, `order_action_refused`, `hold_answer_unfit`, `address_invalid`,
 *   `address_destination_changed`
 */
export async function resolveHold(
  trx: Trx,
  context: ActionContext,
  key: OrderKey,
  answer: ResolveHoldRequest,
): Promise<Order> {
  const order = await requireLockedOrder(trx, key)
  requireAction(order, 'resolve_hold')
  const rule = order.hold && HOLD_RULES[order.hold.resolution]
  if (rule === null) throw actionRefused(order, 'The customer cannot resolve this hold.')
  requireResolves(answer, rule)
  const { shippingAddress, message: reason } = answer
  const moved =
    shippingAddress === undefined ? [] : await changeShippingAddress(trx, order, checkPostalAddress(shippingAddress))
  if (rule.continues) {
    await transitionOrder(trx, order, 'release')
    return recordChange(trx, context, order.id, [...moved, { ...releaseChange(order), reason }])
  }
  await setHoldAnsweredAt(trx, order.id, context.now)
  return recordChange(trx, context, order.id, [
    ...moved,
    { type: 'order.hold_answered', event: 'order.on_hold', reason },
  ])
}

function requireResolves({ shippingAddress, message }: ResolveHoldRequest, rule: HoldRule): void {
  const errors: ProblemDetail[] = []
  if (rule.shippingAddress === 'required' && shippingAddress === undefined) {
    errors.push({ code: 'required', pointer: '/shippingAddress', detail: 'The hold requires a postal address.' })
  }
  if (rule.shippingAddress === 'refused' && shippingAddress !== undefined) {
    errors.push({
      code: 'unknown_field',
      pointer: '/shippingAddress',
      detail: 'The hold does not accept a postal address.',
    })
  }
  if (!rule.continues && message === undefined && shippingAddress === undefined) {
    errors.push({ code: 'required', pointer: '/message', detail: 'Send a message or a postal address.' })
  }
  if (errors.length > 0) throw orderProblems.hold_answer_unfit({ errors })
}

/**
 * Changes the postal address of an order. Country and region must stay the same, because shipping and tax depend on
 * them and are not calculated again.
 */
async function changeShippingAddress(trx: Trx, order: Order, address: PostalAddress): Promise<OrderChange[]> {
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
