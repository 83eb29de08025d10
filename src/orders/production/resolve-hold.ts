import type { Trx } from '../../platform/db/index.ts'
import type { ProblemDetail } from '../../platform/problem.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import {
  actionRefused,
  recordChange,
  releaseChange,
  requireAction,
  requireLockedOrder,
  transitionOrder,
} from '../order/change/change-order.ts'
import { HOLD_RULES, type HoldRule } from '../order/state.ts'
import type { Order, OrderKey } from '../order/store.ts'
import { changeShippingAddress } from '../postal-address/change-shipping-address.ts'
import { checkPostalAddress } from '../postal-address/check-postal-address.ts'
import { orderProblems } from '../problems.ts'
import type { ResolveHoldRequest } from './schemas.ts'
import { setHoldAnsweredAt } from './store.ts'

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
