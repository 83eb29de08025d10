import { requireScope } from '../../auth/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import type { App } from '../../platform/http/server.ts'
import { presentOrder } from '../order/bodies/present-orders.ts'
import { CancelBody, OrderParams } from '../order/bodies/requests.ts'
import { OrderBody } from '../order/bodies/schemas.ts'
import { actingUser, actorFor, contextFor, orderKey, viewFor } from '../order/change/action-context.ts'
import { keyToChange, withETag } from '../order/change/if-match.ts'
import type { PaymentDeps } from '../payments/providers/providers.ts'
import { executeReserved } from '../payments/refunds/execute-refunds.ts'
import { orderProblems } from '../problems.ts'
import { cancelOrder } from './cancel-order.ts'

export function cancellationRoutes(app: App, deps: PaymentDeps): void {
  const { db } = deps
  app.post(
    '/orders/:orderId/cancel',
    {
      onRequest: requireScope('orders:write'),
      config: { worksWhenDiskIsFull: 'to_half', honours: ['Idempotency-Key', 'If-Match'], sets: ['ETag'] },
      schema: {
        operationId: 'cancelOrder',
        problems: [orderProblems.order_action_refused, orderProblems.payment_in_progress],
        tags: ['Orders'],
        summary: 'Cancel an order',
        description:
          'Possible before production starts. An order on hold must be released first. The captured amount is reserved for a refund in the same transaction; the refund is then made as by `POST /orders/{orderId}/refunds`. Cancelling an order also cancels the print files that are not rendered yet: they fail with `order_cancelled`.',
        params: OrderParams,
        body: CancelBody,
        response: { 200: OrderBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const key = keyToChange(request, deps, orderKey(principal, request.params.orderId))
      const view = viewFor(deps, principal)
      const body = await idempotently<OrderBody>(deps, request, reply, async (trx) => {
        const context = contextFor(deps, actingUser(principal, actorFor(principal)))
        const order = await cancelOrder(trx, context, key, request.body?.reason)
        return {
          status: 200,
          body: await presentOrder(trx, order, view),
          isRepeatable: order.updatedAt < context.now,
          finish: async () => presentOrder(db, await executeReserved(deps, order), view),
        }
      })
      return withETag(reply, body)
    },
  )
}
