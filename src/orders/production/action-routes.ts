import { requireRole, requireScope } from '../../auth/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import type { App } from '../../platform/http/server.ts'
import { NoBody, OrderParams } from '../order/bodies/requests.ts'
import { OrderBody } from '../order/bodies/schemas.ts'
import type { ActionDeps } from '../order/change/action-context.ts'
import { keyToChange } from '../order/change/if-match.ts'
import { respondWithOrder } from '../order/change/respond-with-order.ts'
import { orderProblems } from '../problems.ts'
import { advanceOrder } from './advance-order.ts'
import { resolveHold } from './resolve-hold.ts'
import { HoldBody, ResolveHoldBody } from './schemas.ts'

const common = { tags: ['Production'], params: OrderParams, response: { 200: OrderBody } }

export function orderActionRoutes(app: App, deps: ActionDeps): void {
  const guard = requireRole('operator', 'production:write')

  app.post(
    '/orders/:orderId/hold',
    {
      onRequest: guard,
      config: { honours: ['Idempotency-Key', 'If-Match'], sets: ['ETag'] },
      schema: {
        ...common,
        operationId: 'holdOrder',
        problems: [orderProblems.order_action_refused],
        summary: 'Put an order on hold',
        description: '`resolution` states how the owner can resolve the hold. The default is `answer`.',
        body: HoldBody,
      },
    },
    async (request, reply) =>
      respondWithOrder(deps, request, reply, 'operator', (trx, context) => {
        const { reason, resolution } = request.body
        return advanceOrder(
          trx,
          context,
          keyToChange(request, deps, { id: request.params.orderId }),
          'hold',
          reason,
          resolution,
        )
      }),
  )

  app.post(
    '/orders/:orderId/release',
    {
      onRequest: guard,
      config: { honours: ['Idempotency-Key', 'If-Match'], sets: ['ETag'] },
      schema: {
        ...common,
        operationId: 'releaseOrder',
        problems: [orderProblems.order_action_refused],
        summary: 'Release an order from hold',
        description:
          'The order continues in the status in which it was held. The event is `order.confirmed` or `order.in_production` again.',
        body: NoBody,
      },
    },
    async (request, reply) =>
      respondWithOrder(deps, request, reply, 'operator', (trx, context) =>
        advanceOrder(trx, context, keyToChange(request, deps, { id: request.params.orderId }), 'release'),
      ),
  )

  app.post(
    '/orders/:orderId/start-production',
    {
      onRequest: guard,
      config: { honours: ['Idempotency-Key', 'If-Match'], sets: ['ETag'] },
      schema: {
        ...common,
        operationId: 'startProduction',
        problems: [orderProblems.order_action_refused],
        summary: 'Start production of an order',
        description: 'Requires the print files of all items.',
        body: NoBody,
      },
    },
    async (request, reply) =>
      respondWithOrder(deps, request, reply, 'operator', (trx, context) =>
        advanceOrder(trx, context, keyToChange(request, deps, { id: request.params.orderId }), 'start_production'),
      ),
  )
}

export function resolveHoldRoutes(app: App, deps: ActionDeps): void {
  app.post(
    '/orders/:orderId/resolve-hold',
    {
      onRequest: requireScope('orders:write'),
      config: { honours: ['Idempotency-Key'], sets: ['ETag'] },
      schema: {
        operationId: 'resolveHold',
        problems: [
          orderProblems.order_action_refused,
          orderProblems.hold_answer_unfit,
          orderProblems.address_invalid,
          orderProblems.address_destination_changed,
        ],
        tags: ['Orders'],
        summary: 'Resolve the hold of an order',
        description:
          'The owner sends what `hold.resolution` of the order asks for. `address`: a `shippingAddress`; the order continues. `confirmation`: nothing, or a `message`; the order continues. `answer`: a `message`, a `shippingAddress` or both, once; the shop reads them and releases the order. `none`: nothing can be sent (409 `order_action_refused`). A request that does not match the resolution is 422 `hold_answer_unfit`. The new postal address must be in the country and region of the old one, because shipping and tax stay unchanged; otherwise the response is 422 `address_destination_changed`. The timeline records `order.address_changed`, and `order.released` or `order.hold_answered` with the message as `reason`. An `answer` emits `order.on_hold` again.',
        params: OrderParams,
        body: ResolveHoldBody,
        response: { 200: OrderBody },
      },
    },
    async (request, reply) =>
      respondWithOrder(deps, request, reply, 'customer', (trx, context) => {
        // Only the owner can resolve a hold. Operators release orders instead.
        const key = { id: request.params.orderId, ownerId: principalOf(request).userId }
        return resolveHold(trx, context, key, request.body ?? {})
      }),
  )
}
