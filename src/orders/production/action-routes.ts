import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireRole } from '../../auth/index.ts'
import { idempotently } from '../../platform/http/idempotency.ts'
import { principalOf } from '../../platform/http/principal.ts'
import type { App } from '../../platform/http/server.ts'
import { type ActionDeps, contextFor } from '../order/action-context.ts'
import { presentOrder } from '../order/present-orders.ts'
import { NoBody, OrderParams } from '../order/requests.ts'
import { OrderBody } from '../order/schemas.ts'
import type { HoldResolution } from '../order/state.ts'
import { viewFor } from '../order/viewer.ts'
import { advanceOrder } from './advance-order.ts'
import { HoldBody } from './schemas.ts'

const common = { tags: ['Production'], params: OrderParams, response: { 200: OrderBody } }

/** Adds the routes of actions that only the transition table decides about. */
export function orderActionRoutes(app: App, deps: ActionDeps): void {
  const guard = requireRole('operator', 'orders:write')

  app.post(
    '/orders/:orderId/hold',
    {
      onRequest: guard,
      schema: {
        ...common,
        operationId: 'holdOrder',
        summary: 'Put an order on hold',
        description: '`resolution` states how the owner can resolve the hold. The default is `answer`.',
        body: HoldBody,
      },
    },
    async (request, reply) =>
      advance(deps, request, reply, { orderId: request.params.orderId, action: 'hold', ...request.body }),
  )

  app.post(
    '/orders/:orderId/release',
    {
      onRequest: guard,
      schema: {
        ...common,
        operationId: 'releaseOrder',
        summary: 'Release an order from hold',
        description:
          'The order continues in the status in which it was held. The event is `order.confirmed` or `order.in_production` again.',
        body: NoBody,
      },
    },
    async (request, reply) => advance(deps, request, reply, { orderId: request.params.orderId, action: 'release' }),
  )

  app.post(
    '/orders/:orderId/start-production',
    {
      onRequest: guard,
      schema: {
        ...common,
        operationId: 'startProduction',
        summary: 'Start production of an order',
        description: 'Requires the print files of all items.',
        body: NoBody,
      },
    },
    async (request, reply) =>
      advance(deps, request, reply, { orderId: request.params.orderId, action: 'start_production' }),
  )
}

async function advance(
  deps: ActionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    orderId,
    action,
    reason,
    resolution,
  }: {
    orderId: string
    action: Parameters<typeof advanceOrder>[3]
    reason?: string
    resolution?: HoldResolution
  },
): Promise<OrderBody> {
  const principal = principalOf(request)
  return idempotently(deps, request, reply, async (trx) => {
    const context = contextFor(deps, { by: 'operator', userId: principal.userId })
    const order = await advanceOrder(trx, context, { id: orderId }, action, reason, resolution)
    return { status: 200, body: await presentOrder(trx, order, viewFor(deps, principal)) }
  })
}
