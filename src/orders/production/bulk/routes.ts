import { requirePermission, requireRole } from '../../../auth/index.ts'
import { principalOf } from '../../../platform/http/core/principal.ts'
import { httpProblems } from '../../../platform/http/core/problems.ts'
import { withReservedKey } from '../../../platform/http/idempotency/idempotency.ts'
import type { App } from '../../../platform/http/server.ts'
import { type OrderView, toAvailableActions } from '../../order/bodies/schemas.ts'
import { type ActionDeps, actingUser, contextFor, viewFor } from '../../order/change/action-context.ts'
import { ORDER_ACTIONS } from '../../order/state.ts'
import { changeInBulk } from './change-in-bulk.ts'
import { type Attempt, isWorthRepeating, runEach, toFailureBody } from './run-each.ts'
import { BulkBody, type BulkRequest, BulkResultsBody, type ResultBody } from './schemas.ts'

export function bulkRoutes(app: App, deps: ActionDeps): void {
  app.post(
    '/production/bulk',
    {
      onRequest: requireRole('operator', 'orders:read'),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'changeOrdersInBulk',
        tags: ['Production'],
        summary: 'Apply one action to up to 200 orders',
        description:
          'Needs the permission of the action: `shipping:write` for `ship` and `deliver`, `production:write` for the others. Each order is changed in a transaction of its own, and `results` states the outcome of each: the request succeeds even if every order fails. `failure` is the problem that the single operation would have. An order that is already in the wanted state is `unchanged`, so that a request can be repeated safely, and two operators with the same selection do nothing twice. `ship` sends everything that is left as one parcel; an order that has a parcel with the same `trackingNumber`, or without a number an order that has left, is `unchanged`. `deliver` applies to all parcels of an order that are under way. After a minute the remaining orders fail with `service_unavailable`: repeat the request.',
        body: BulkBody,
        response: { 200: BulkResultsBody },
      },
    },
    async (request, reply) => {
      const { body } = request
      requirePermission(request, ORDER_ACTIONS[body.action].needs)
      refuseRepeatedOrders(body)
      return withReservedKey<BulkResultsBody>(deps, request, reply, async () => {
        const actor = actingUser(principalOf(request), 'operator')
        const attempts = await runEach(
          body.orders,
          (one) => deps.db.transaction().execute((trx) => changeInBulk(trx, contextFor(deps, actor), body, one)),
          request,
        )
        const view = viewFor(deps, principalOf(request))
        const results = attempts.map((one, index) => toResultBody(body.orders[index]?.id ?? '', one, view))
        return { status: 200, body: { results }, isRepeatable: isWorthRepeating(attempts) }
      })
    },
  )
}

/** @throws `validation_failed` */
function refuseRepeatedOrders({ orders }: BulkRequest): void {
  const firstIndex = new Map<string, number>()
  const errors = orders.flatMap(({ id }, index) => {
    if (!firstIndex.has(id)) {
      firstIndex.set(id, index)
      return []
    }
    const detail = `The order is named twice, first at /orders/${firstIndex.get(id)}.`
    return [{ code: 'duplicate', pointer: `/orders/${index}/id`, detail }]
  })
  if (errors.length > 0) throw httpProblems.validation_failed({ errors })
}

function toResultBody(
  orderId: string,
  attempt: Attempt<Awaited<ReturnType<typeof changeInBulk>>>,
  view: OrderView,
): ResultBody {
  if ('problem' in attempt) return { orderId, outcome: 'failed', failure: toFailureBody(attempt.problem) }
  const { isDone, order } = attempt.result
  return {
    orderId,
    outcome: isDone ? 'done' : 'unchanged',
    orderStatus: order.status,
    revision: order.revision,
    availableActions: toAvailableActions(order, view),
  }
}
