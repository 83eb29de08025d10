import type { Trx } from '../../../platform/db/index.ts'
import { httpProblems } from '../../../platform/http/core/problems.ts'
import type { ActionContext } from '../../order/change/action-context.ts'
import { requireAction, requireLockedOrder, requireOrder } from '../../order/change/change-order.ts'
import type { Order, OrderKey } from '../../order/store.ts'
import { advanceOrder } from '../advance-order.ts'
import { advanceShipment } from '../advance-shipment.ts'
import { hasShipped, shipOrder } from '../ship-order.ts'
import type { BulkAction, BulkRequest } from './schemas.ts'

type Of<Action extends BulkAction> = Extract<BulkRequest, { action: Action }>
export type OneOf<Request extends BulkRequest> = Request['orders'][number]

interface Change<Request extends BulkRequest> {
  /** Whether the order is in the state that the action leads to, so that a repeated request changes nothing. */
  isDone(order: Order, one: OneOf<Request>): boolean
  run(trx: Trx, context: ActionContext, key: OrderKey, request: Request, one: OneOf<Request>): Promise<unknown>
}

const CHANGES: { readonly [Action in BulkAction]: Change<Of<Action>> } = {
  start_production: {
    isDone: ({ status }) => ['in_production', 'partially_shipped', 'shipped', 'delivered'].includes(status),
    run: (trx, context, key) => advanceOrder(trx, context, key, 'start_production'),
  },
  ship: {
    isDone: hasShipped,
    run: (trx, context, key, { carrier }, { id: _id, revision: _revision, ...parcel }) =>
      shipOrder(trx, context, key, { carrier, ...parcel }),
  },
  deliver: {
    isDone: ({ shipments }) =>
      shipments.every(({ status }) => status !== 'shipped') && shipments.some(({ status }) => status === 'delivered'),
    run: deliverAll,
  },
  hold: {
    isDone: ({ status }) => status === 'on_hold',
    run: (trx, context, key, { reason, resolution }) => advanceOrder(trx, context, key, 'hold', reason, resolution),
  },
  release: {
    isDone: ({ status }) => status === 'confirmed' || status === 'in_production',
    run: (trx, context, key) => advanceOrder(trx, context, key, 'release'),
  },
}

/** @throws `order_not_found`, `precondition_failed`, `order_action_refused` */
async function deliverAll(trx: Trx, context: ActionContext, key: OrderKey): Promise<void> {
  const order = await requireLockedOrder(trx, key)
  requireAction(order, 'deliver')
  for (const { id: shipmentId, status } of order.shipments) {
    if (status === 'shipped') await advanceShipment(trx, context, { id: order.id, shipmentId }, 'deliver')
  }
}

/**
 * Applies the action of a bulk request to one of its orders, in a transaction of the caller. An order that is already
 * in the wanted state stays unchanged, whatever its revision: a repeated request finds the revision that the first one
 * has left.
 *
 * @throws what the single action throws
 */
export async function changeInBulk<Action extends BulkAction>(
  trx: Trx,
  context: ActionContext,
  request: Of<Action>,
  one: OneOf<Of<Action>>,
): Promise<{ isDone: boolean; order: Order }> {
  const change: Change<Of<Action>> = CHANGES[request.action as Action]
  const order = await requireLockedOrder(trx, { id: one.id })
  if (change.isDone(order, one)) return { isDone: false, order }
  await change.run(trx, context, keyWithRevision(one), request, one)
  return { isDone: true, order: await requireOrder(trx, { id: one.id }) }
}

function keyWithRevision({ id, revision }: { id: string; revision?: number }): OrderKey {
  if (revision === undefined) return { id }
  return {
    id,
    requireVersion: async (_trx, order) => {
      if (order.revision === revision) return
      throw httpProblems.precondition_failed(`The order has revision ${order.revision} now, not ${revision}.`)
    },
  }
}
