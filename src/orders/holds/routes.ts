import { requireScope } from '../../auth/index.ts'
import { idempotently } from '../../platform/http/idempotency.ts'
import { principalOf } from '../../platform/http/principal.ts'
import type { App } from '../../platform/http/server.ts'
import { contextFor, type OrderDeps, viewFor } from '../context.ts'
import { presentOrder } from '../order/present-orders.ts'
import { OrderParams } from '../order/requests.ts'
import { OrderBody } from '../order/schemas.ts'
import { resolveHold } from './resolve-hold.ts'
import { ResolveHoldBody } from './schemas.ts'

/** What customers do about holds. Operators hold and release by the routes of production. */
export function holdRoutes(app: App, deps: OrderDeps): void {
  app.post(
    '/orders/:orderId/resolve-hold',
    {
      onRequest: requireScope('orders:write'),
      schema: {
        operationId: 'resolveHold',
        tags: ['Orders'],
        summary: 'Do what the hold of an order asks its customer for',
        description:
          '`hold.resolution` of the order says what that is. `address`: a `shippingAddress` in the same country and region; the order goes on. `confirmation`: nothing more, or a `message`; the order goes on. `answer`: a `message`, a `shippingAddress` or both, once; the shop decides. `none`: 409.',
        params: OrderParams,
        body: ResolveHoldBody,
        response: { 200: OrderBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      // Nobody answers for somebody else: operators release.
      const key = { id: request.params.orderId, ownerId: principal.userId }
      return idempotently(deps, request, reply, async (trx) => {
        const context = contextFor(deps, { by: 'customer', userId: principal.userId })
        const order = await resolveHold(trx, context, key, request.body ?? {})
        return { status: 200, body: await presentOrder(trx, order, viewFor(deps, principal)) }
      })
    },
  )
}
