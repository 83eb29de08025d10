import type { FastifyRequest } from 'fastify'
import { hasPermission, requireScope } from '../../auth/index.ts'
import { createFairTurns } from '../../platform/concurrency/fair-turns.ts'
import { networkOfOwner } from '../../platform/concurrency/semaphore.ts'
import type { Trx } from '../../platform/db/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import { EmptyBody } from '../../platform/http/input/empty-body.ts'
import { ownerOfBody } from '../../platform/http/input/large-bodies.ts'
import { readCursor, toCutPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import type { WebhookDeps } from '../context.ts'
import { requireEndpoint } from '../endpoints/change-endpoints.ts'
import { EndpointParams } from '../endpoints/schemas.ts'
import { webhookProblems } from '../problems.ts'
import { countRefusedReplay, replayEvents, retryDelivery, sendTestEvent } from './request-deliveries.ts'
import {
  DeliveryBody,
  DeliveryPage,
  DeliveryParams,
  DeliveryQuery,
  ReplayAnswer,
  ReplayRequest,
  toBriefDeliveryBody,
  toDeliveryBody,
  withEventBody,
} from './schemas.ts'
import { type Delivery, findDelivery, listDeliveries } from './store.ts'

const tags = ['Webhooks']

/** A replay of 10,000 events takes a quarter of a second. */
const LONGEST_REPLAY_MS = 2_000

export function deliveryRoutes(app: App, deps: WebhookDeps): void {
  readRoutes(app, deps)
  // Readers of events wait for the oldest transaction, and one replay can add 10,000 deliveries.
  const replaying = createFairTurns({ longestMs: LONGEST_REPLAY_MS, groupOf: networkOfOwner })

  app.post(
    '/webhook-endpoints/:endpointId/deliveries/:deliveryId/retry',
    {
      onRequest: requireScope('webhooks:write', 'events:read'),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'retryWebhookDelivery',
        problems: [webhookProblems.webhook_event_expired],
        tags,
        summary: 'Retry a webhook delivery',
        description:
          'Possible in any status of the delivery. Older pending deliveries of the same subject are sent first. If the delivery was delivered or failed, its retry schedule starts again. Returns 403 `webhook_event_not_permitted` if the owner may no longer see the event, 409 `webhook_endpoint_disabled` if the endpoint is disabled. An API key needs `events:read` as well.',
        params: DeliveryParams,
        body: EmptyBody,
        response: { 202: DeliveryBody },
      },
    },
    async (request, reply) => {
      const { endpointId: id, deliveryId } = request.params
      const key = { id, ownerId: principalOf(request).userId }
      // The body of the event may have a megabyte. Therefore it is not stored for the idempotency key, but read again
      // for each response.
      const sent = await idempotently<DeliveryBody>(deps, request, reply, async (trx) => {
        return {
          status: 202,
          body: toDeliveryBody({ ...(await retryDelivery(trx, deps, key, deliveryId)), body: undefined }),
        }
      })
      deps.engine?.wake(id)
      const delivery = await findDelivery(deps.db, { id: deliveryId, endpointId: id }, deps.hiddenEvents)
      return delivery === undefined ? sent : withEventBody(sent, delivery)
    },
  )

  app.post(
    '/webhook-endpoints/:endpointId/replay',
    {
      onRequest: requireScope('webhooks:write', 'events:read'),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'replayWebhookEvents',
        tags,
        summary: 'Replay events of a time range',
        description:
          'Delivers the retained events (30 days) of the types of the endpoint whose `createdAt` is in the range, including both ends. A range with more than 10 000 events is rejected with 422 `replay_too_large`. Returns 409 `webhook_endpoint_disabled` if the endpoint is disabled, and 409 `too_many_pending_deliveries` if it has 10 000 pending deliveries. For a customer, the pending deliveries of all endpoints count together. An account can replay 60 times an hour, an operator or administrator 600 times, with replays that are too large (429 `rate_limited`). An API key needs `events:read` as well.',
        params: EndpointParams,
        body: ReplayRequest,
        response: { 202: ReplayAnswer },
      },
    },
    async (request, reply) => {
      const { endpointId } = request.params
      const caller = principalOf(request)
      const replay = async (trx: Trx) => {
        const count = await replayEvents(trx, deps, caller, endpointId, request.body)
        return { status: 202, body: { count } }
      }
      const sent = await replaying
        .run(ownerOfBody(request), () => idempotently(deps, request, reply, replay))
        .catch((error: unknown) => countRefusedReplay(deps, caller, error))
      deps.engine?.wake(endpointId)
      return sent
    },
  )

  app.post(
    '/webhook-endpoints/:endpointId/test',
    {
      onRequest: requireScope('webhooks:write'),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'testWebhookEndpoint',
        tags,
        summary: 'Send a test event to a webhook endpoint',
        description:
          'The event has the type `webhook.test`. It is sent at once and only once, and `GET /events` does not list it. Returns 409 `webhook_endpoint_disabled` or 409 `too_many_pending_deliveries` in the same cases as a replay. An account can send 60 test events an hour, an operator or administrator 600 (429 `rate_limited`).',
        params: EndpointParams,
        body: EmptyBody,
        response: { 202: DeliveryBody },
      },
    },
    async (request, reply) => {
      const { endpointId } = request.params
      const sent = await idempotently(deps, request, reply, async (trx) => {
        return { status: 202, body: toDeliveryBody(await sendTestEvent(trx, deps, principalOf(request), endpointId)) }
      })
      deps.engine?.wake(endpointId)
      return sent
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
        summary: 'List the deliveries of a webhook endpoint',
        description:
          'Deliveries of the last 30 days with the latest three responses of the endpoint. An endpoint of a customer retains the latest 1,000 delivered and the latest 1,000 failed deliveries, or 100 each until an order of the customer is in production. Bodies over 16 KiB are only in `GET .../deliveries/{deliveryId}`. An API key without `events:read` sees neither request bodies nor responses. For an endpoint that is far behind, only its next deliveries are listed.',
        params: EndpointParams,
        querystring: DeliveryQuery,
        response: { 200: DeliveryPage },
      },
    },
    async (request) => {
      const { status, limit } = request.query
      const key = { id: request.params.endpointId, ownerId: principalOf(request).userId }
      const { id: endpointId } = await requireEndpoint(deps.db, key)
      const listing = { endpointId, status, after: readCursor(request.query), limit, hiddenEvents: deps.hiddenEvents }
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
        summary: 'Read a webhook delivery',
        description:
          'Includes the whole request body. Up to 1 KiB of the body and 2 KiB of the headers of each response are retained. Responses are omitted if the event was erased, is no longer retained, or may no longer be seen by the owner.',
        params: DeliveryParams,
        response: { 200: DeliveryBody },
      },
    },
    async (request) => {
      const { endpointId: id, deliveryId } = request.params
      const { id: endpointId } = await requireEndpoint(deps.db, { id, ownerId: principalOf(request).userId })
      const delivery = await findDelivery(deps.db, { id: deliveryId, endpointId }, deps.hiddenEvents)
      if (delivery === undefined) throw webhookProblems.webhook_delivery_not_found()
      return presenterFor(request)(delivery)
    },
  )
}

/**
 * Returns the function that makes response bodies. An API key without the permission `events:read` must not see events
 * in deliveries, either.
 */
function presenterFor(request: FastifyRequest): (delivery: Delivery) => DeliveryBody {
  return hasPermission(request, 'events:read') ? toDeliveryBody : toBriefDeliveryBody
}
