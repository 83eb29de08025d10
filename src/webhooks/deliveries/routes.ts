import type { FastifyRequest } from 'fastify'
import { hasPermission, requireScope } from '../../auth/index.ts'
import { EmptyBody } from '../../platform/http/empty-body.ts'
import { idempotently } from '../../platform/http/idempotency.ts'
import { readCursor, toCutPage } from '../../platform/http/pagination.ts'
import { principalOf } from '../../platform/http/principal.ts'
import type { App } from '../../platform/http/server.ts'
import type { WebhookDeps } from '../context.ts'
import { requireEndpoint } from '../endpoints/change-endpoints.ts'
import { EndpointParams } from '../endpoints/schemas.ts'
import { webhookProblems } from '../problems.ts'
import { replayEvents, retryDelivery, sendTestEvent } from './ask-for-deliveries.ts'
import {
  DeliveryBody,
  DeliveryPage,
  DeliveryParams,
  DeliveryQuery,
  ReplayAnswer,
  ReplayRequest,
  toBriefDeliveryBody,
  toDeliveryBody,
} from './schemas.ts'
import { type Delivery, findDelivery, listDeliveries } from './store.ts'

const tags = ['Webhooks']

/** What was delivered, and asking for more. */
export function deliveryRoutes(app: App, deps: WebhookDeps): void {
  readRoutes(app, deps)

  app.post(
    '/webhook-endpoints/:endpointId/deliveries/:deliveryId/retry',
    {
      onRequest: requireScope('webhooks:write', 'events:read'),
      schema: {
        operationId: 'retryWebhookDelivery',
        tags,
        summary: 'Have a delivery tried again at once',
        description:
          'Whatever became of it. Earlier deliveries of the same subject that are pending go first. An API key needs ' +
          '`events:read` as well.',
        params: DeliveryParams,
        body: EmptyBody,
        response: { 202: DeliveryBody },
      },
    },
    async (request, reply) => {
      const { endpointId: id, deliveryId } = request.params
      const key = { id, ownerId: principalOf(request).userId }
      const answer = await idempotently(deps, request, reply, async (trx) => {
        return { status: 202, body: toDeliveryBody(await retryDelivery(trx, key, deliveryId)) }
      })
      deps.sending?.wake(id)
      return answer
    },
  )

  app.post(
    '/webhook-endpoints/:endpointId/replay',
    {
      onRequest: requireScope('webhooks:write', 'events:read'),
      schema: {
        operationId: 'replayWebhookEvents',
        tags,
        summary: 'Deliver again what happened in a range of time',
        description:
          'Up to 10 000 events that are still kept (30 days) and of the types that the endpoint wants. An API key ' +
          'needs `events:read` as well.',
        params: EndpointParams,
        body: ReplayRequest,
        response: { 202: ReplayAnswer },
      },
    },
    async (request, reply) => {
      const key = { id: request.params.endpointId, ownerId: principalOf(request).userId }
      const answer = await idempotently(deps, request, reply, async (trx) => {
        return { status: 202, body: { count: await replayEvents(trx, deps, key, request.body) } }
      })
      deps.sending?.wake(key.id)
      return answer
    },
  )

  app.post(
    '/webhook-endpoints/:endpointId/test',
    {
      onRequest: requireScope('webhooks:write'),
      schema: {
        operationId: 'testWebhookEndpoint',
        tags,
        summary: 'Send a test event to a webhook endpoint',
        description: 'Its type is `webhook.test`. It is sent once, and is not in `GET /events`.',
        params: EndpointParams,
        body: EmptyBody,
        response: { 202: DeliveryBody },
      },
    },
    async (request, reply) => {
      const key = { id: request.params.endpointId, ownerId: principalOf(request).userId }
      const answer = await idempotently(deps, request, reply, async (trx) => {
        return { status: 202, body: toDeliveryBody(await sendTestEvent(trx, deps, key)) }
      })
      deps.sending?.wake(key.id)
      return answer
    },
  )
}

function readRoutes(app: App, deps: WebhookDeps): void {
  app.get(
    '/webhook-endpoints/:endpointId/deliveries',
    {
      onRequest: requireScope('webhooks:read'),
      schema: {
        operationId: 'listWebhookDeliveries',
        tags,
        summary: 'List what was sent to a webhook endpoint',
        description:
          'The deliveries of the last 30 days, with what was answered. An API key without `events:read` is shown ' +
          'neither what was sent nor what was answered to it.',
        params: EndpointParams,
        querystring: DeliveryQuery,
        response: { 200: DeliveryPage },
      },
    },
    async (request) => {
      const { status, limit } = request.query
      const key = { id: request.params.endpointId, ownerId: principalOf(request).userId }
      const { id: endpointId } = await requireEndpoint(deps.db, key)
      const listing = { endpointId, status, after: readCursor(request.query), limit }
      return toCutPage(await listDeliveries(deps.db, listing), presenterFor(request))
    },
  )

  app.get(
    '/webhook-endpoints/:endpointId/deliveries/:deliveryId',
    {
      onRequest: requireScope('webhooks:read'),
      schema: {
        operationId: 'getWebhookDelivery',
        tags,
        summary: 'Read one delivery, with the whole body of its requests',
        params: DeliveryParams,
        response: { 200: DeliveryBody },
      },
    },
    async (request) => {
      const { endpointId: id, deliveryId } = request.params
      const { id: endpointId } = await requireEndpoint(deps.db, { id, ownerId: principalOf(request).userId })
      const delivery = await findDelivery(deps.db, { id: deliveryId, endpointId })
      if (delivery === undefined) throw webhookProblems.webhook_delivery_not_found()
      return presenterFor(request)(delivery)
    },
  )
}

/** A key that may not read events is not shown them here either. */
function presenterFor(request: FastifyRequest): (delivery: Delivery) => DeliveryBody {
  return hasPermission(request, 'events:read') ? toDeliveryBody : toBriefDeliveryBody
}
