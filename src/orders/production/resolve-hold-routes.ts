import { requireScope } from '../../auth/index.ts'
import { idempotently } from '../../platform/http/idempotency.ts'
import { principalOf } from '../../platform/http/principal.ts'
import type { App } from '../../platform/http/server.ts'
import { type ActionDeps, contextFor } from '../order/action-context.ts'
import { presentOrder } from '../order/present-orders.ts'
import { OrderParams } from '../order/requests.ts'
import { OrderBody } from '../order/schemas.ts'
import { viewFor } from '../order/viewer.ts'
import { resolveHold } from './resolve-hold.ts'
import { ResolveHoldBody } from './schemas.ts'

/** Adds the route with which customers resolve holds. */
export function resolveHoldRoutes(app: App, deps: ActionDeps): void {
  app.post(
    '/orders/:orderId/resolve-hold',
    {
      onRequest: requireScope('orders:write'),
      schema: {
        operationId: 'resolveHold',
        tags: ['Orders'],
        summary: 'Resolve the hold of an order',
        description:
          'The owner sends what `hold.resolution` of the order asks for. `address`: a `shippingAddress`; the order continues. `confirmation`: nothing, or a `message`; the order continues. `answer`: a `message`, a `shippingAddress` or both, once; the shop reads them and releases the order. `none`: nothing can be sent (409). A request that does not fit is 422 `hold_answer_unfit`. The new postal address must be in the country and region of the old one, because shipping and tax stay unchanged; otherwise 422 `address_destination_changed`. The timeline records `order.address_changed`, and `order.released` or `order.hold_answered` with the message as `reason`. An `answer` emits `order.on_hold` again.',
        params: OrderParams,
        body: ResolveHoldBody,
        response: { 200: OrderBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      // Only the owner can resolve a hold. Operators release orders instead.
      const key = { id: request.params.orderId, ownerId: principal.userId }
      return idempotently(deps, request, reply, async (trx) => {
        const context = contextFor(deps, { by: 'customer', userId: principal.userId })
        const order = await resolveHold(trx, context, key, request.body ?? {})
        return { status: 200, body: await presentOrder(trx, order, viewFor(deps, principal)) }
      })
    },
  )
}
