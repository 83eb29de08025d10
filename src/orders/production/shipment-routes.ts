import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireRole } from '../../auth/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import type { App } from '../../platform/http/server.ts'
import { NoBody, OrderParams } from '../order/bodies/requests.ts'
import { ShipmentBody, toShipmentBody } from '../order/bodies/schemas.ts'
import { type ActionDeps, actingUser, contextFor } from '../order/change/action-context.ts'
import { keyToChange } from '../order/change/if-match.ts'
import type { ShipmentEvent } from '../order/state.ts'
import { orderProblems } from '../problems.ts'
import { advanceShipment } from './advance-shipment.ts'
import { NewShipmentBody, ReturnBody, ShipmentParams } from './schemas.ts'
import { shipOrder } from './ship-order.ts'

const shipmentRoute = { tags: ['Production'], params: ShipmentParams, response: { 200: ShipmentBody } }

export function shipmentRoutes(app: App, deps: ActionDeps): void {
  const guard = requireRole('operator', 'shipping:write')

  app.post(
    '/orders/:orderId/shipments',
    {
      onRequest: guard,
      config: { honours: ['Idempotency-Key', 'If-Match'] },
      schema: {
        operationId: 'shipOrder',
        problems: [
          orderProblems.order_action_refused,
          orderProblems.shipment_item_unknown,
          orderProblems.shipment_item_repeated,
          orderProblems.shipment_exceeds_order,
          orderProblems.shipment_time_invalid,
        ],
        tags: ['Production'],
        summary: 'Ship all or part of an order',
        description:
          'Records one parcel that was handed to a carrier. The order is `partially_shipped` until every piece of it has shipped, then `shipped`.',
        params: OrderParams,
        body: NewShipmentBody,
        response: { 201: ShipmentBody },
      },
    },
    async (request, reply) =>
      idempotently(deps, request, reply, async (trx) => {
        const context = contextFor(deps, actingUser(principalOf(request), 'operator'))
        const key = keyToChange(request, deps, { id: request.params.orderId })
        const { shipment } = await shipOrder(trx, context, key, request.body)
        return { status: 201, body: toShipmentBody(shipment) }
      }),
  )

  app.post(
    '/orders/:orderId/shipments/:shipmentId/deliver',
    {
      onRequest: guard,
      config: { honours: ['Idempotency-Key', 'If-Match'] },
      schema: {
        ...shipmentRoute,
        operationId: 'deliverShipment',
        problems: [orderProblems.order_action_refused],
        summary: 'Mark a shipment as delivered',
        description:
          'The order becomes `delivered` when everything has shipped, no shipment is under way, and at least one has arrived, even if it came back later.',
        body: NoBody,
      },
    },
    async (request, reply) => advance(deps, request, reply, { ...request.params, event: 'deliver' }),
  )

  app.post(
    '/orders/:orderId/shipments/:shipmentId/return',
    {
      onRequest: guard,
      config: { honours: ['Idempotency-Key', 'If-Match'] },
      schema: {
        ...shipmentRoute,
        operationId: 'returnShipment',
        problems: [orderProblems.order_action_refused],
        summary: 'Mark a shipment as returned',
        description:
          'Emits `shipment.returned`. To return the money, refund the order. If every shipment comes back without arriving, the order stays `shipped`.',
        body: ReturnBody,
      },
    },
    async (request, reply) =>
      advance(deps, request, reply, { ...request.params, event: 'return', reason: request.body?.reason }),
  )
}

async function advance(
  deps: ActionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    orderId,
    shipmentId,
    event,
    reason,
  }: { orderId: string; shipmentId: string; event: ShipmentEvent; reason?: string | undefined },
): Promise<ShipmentBody> {
  return idempotently(deps, request, reply, async (trx) => {
    const context = contextFor(deps, actingUser(principalOf(request), 'operator'))
    const key = keyToChange(request, deps, { id: orderId })
    const shipment = await advanceShipment(trx, context, { ...key, shipmentId }, event, reason)
    return { status: 200, body: toShipmentBody(shipment) }
  })
}
