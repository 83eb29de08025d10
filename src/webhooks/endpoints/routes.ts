import { Type } from 'typebox'
import { requireScope } from '../../auth/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { findReplay, idempotently } from '../../platform/http/idempotency/idempotency.ts'
import { locationOfNew } from '../../platform/http/responses/location.ts'
import { PageQuery, readCursor, toPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import type { WebhookDeps } from '../context.ts'
import { webhookProblems } from '../problems.ts'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  requireEndpoint,
  requireTarget,
  rotateSecret,
} from './change-endpoints.ts'
import {
  DAY_SECONDS,
  EndpointBody,
  EndpointPage,
  EndpointParams,
  endpointBodies,
  NewEndpointAnswer,
  RotateSecretBody,
  SecretAnswer,
  toEndpointBody,
} from './schemas.ts'
import { countFailedDeliveries, listEndpoints } from './store.ts'

const tags = ['Webhooks']

export function endpointRoutes(app: App, deps: WebhookDeps): void {
  const { NewEndpointBody, EndpointChangeBody } = endpointBodies(deps.eventTypes)
  readRoutes(app, deps)

  app.post(
    '/webhook-endpoints',
    {
      onRequest: requireScope('webhooks:write', 'events:read'),
      config: { honours: ['Idempotency-Key'], sets: ['Location'] },
      schema: {
        operationId: 'createWebhookEndpoint',
        problems: [webhookProblems.webhook_url_refused],
        tags,
        summary: 'Create a webhook endpoint',
        description:
          'The service posts the events that are committed from now on to `url`: the events of the caller, or all events if the caller is an operator. It checks whether the owner may see an event when the event happens, and again before sending it. Requests are signed according to Standard Webhooks 1.0. Each event is delivered at least once, in order per subject. An API key needs `events:read` as well. The endpoint belongs to the account and stays when the API key is revoked. An account can have 20 endpoints (409 `too_many_webhook_endpoints`). A host name that does not resolve yet is accepted. A URL that leads to a non-public IP address is rejected, unless `PLATEN_WEBHOOK_ALLOWED_NETWORKS` contains the address.',
        body: NewEndpointBody,
        response: { 201: NewEndpointAnswer },
      },
    },
    async (request, reply) => {
      const replayed = await findReplay<NewEndpointAnswer>(deps, request, reply)
      if (replayed !== undefined) return replayed
      await requireTarget(deps, request.body.url)
      const answer = await idempotently(deps, request, reply, async (trx) => {
        const { endpoint, secret } = await createEndpoint(trx, deps, principalOf(request).userId, request.body)
        const headers = locationOfNew(request, endpoint)
        return {
          status: 201,
          body: { ...toEndpointBody(endpoint, deps.clock.now()), secret },
          headers,
          secrets: ['secret'] as const,
        }
      })
      deps.engine?.wake(answer.id)
      return answer
    },
  )

  app.patch(
    '/webhook-endpoints/:endpointId',
    {
      onRequest: requireScope('webhooks:write', 'events:read'),
      schema: {
        operationId: 'updateWebhookEndpoint',
        problems: [webhookProblems.webhook_url_refused],
        tags,
        summary: 'Change a webhook endpoint',
        description:
          'Can also enable or disable the endpoint. If the endpoint is enabled again or gets another `url`, its pending deliveries are sent at once, before new ones. Failures at the old `url` do not count against a new one. Events that happened while the endpoint was disabled need a replay. An API key needs `events:read` as well, because this operation decides where events go.',
        params: EndpointParams,
        body: EndpointChangeBody,
        response: { 200: EndpointBody },
      },
    },
    async (request) => {
      const key = { id: request.params.endpointId, ownerId: principalOf(request).userId }
      await requireEndpoint(deps.db, key)
      if (request.body.url !== undefined) await requireTarget(deps, request.body.url)
      const endpoint = await changeEndpoint(deps, key, request.body)
      deps.engine?.recall(endpoint.id)
      return toEndpointBody(endpoint, deps.clock.now())
    },
  )

  app.delete(
    '/webhook-endpoints/:endpointId',
    {
      onRequest: requireScope('webhooks:write'),
      schema: {
        operationId: 'deleteWebhookEndpoint',
        tags,
        summary: 'Delete a webhook endpoint',
        description: 'Also deletes the deliveries of the endpoint.',
        params: EndpointParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { endpointId: id } = request.params
      await deleteEndpoint(deps, { id, ownerId: principalOf(request).userId })
      deps.engine?.recall(id)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/webhook-endpoints/:endpointId/rotate-secret',
    {
      onRequest: requireScope('webhooks:write'),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags,
        summary: 'Rotate the secret of a webhook endpoint',
        description:
          'During the overlap, requests carry two signatures: one with the new secret and one with the old; `previousSecretEndsAt` of the endpoint states its end. A secret from before the old one is not used any more. Rotating also repairs an endpoint whose deliveries fail with `secret_unreadable`.',
        params: EndpointParams,
        body: RotateSecretBody,
        response: { 200: SecretAnswer },
      },
    },
    async (request, reply) => {
      const key = { id: request.params.endpointId, ownerId: principalOf(request).userId }
      const answer = await idempotently(deps, request, reply, async (trx) => {
        const secret = await rotateSecret(trx, deps, key, request.body?.overlapSeconds ?? DAY_SECONDS)
        return { status: 200, body: { secret }, secrets: ['secret'] as const }
      })
      deps.engine?.recall(key.id)
      return answer
    },
  )
}

function readRoutes(app: App, deps: WebhookDeps): void {
  app.get(
    '/webhook-endpoints',
    {
      onRequest: requireScope('webhooks:read'),
      schema: {
        operationId: 'listWebhookEndpoints',
        tags,
        summary: "List the caller's webhook endpoints",
        description: 'Newest first, without secrets.',
        querystring: PageQuery,
        response: { 200: EndpointPage },
      },
    },
    async (request) => {
      const page = {
        ownerId: principalOf(request).userId,
        after: readCursor(request.query),
        limit: request.query.limit,
      }
      const endpoints = await listEndpoints(deps.db, page)
      const ids = endpoints.map(({ id }) => id)
      const failed = await countFailedDeliveries(deps.db, ids)
      const now = deps.clock.now()
      return toPage(endpoints, request.query, (endpoint) => withFailed(toEndpointBody(endpoint, now), failed))
    },
  )

  app.get(
    '/webhook-endpoints/:endpointId',
    {
      onRequest: requireScope('webhooks:read'),
      schema: {
        operationId: 'getWebhookEndpoint',
        tags,
        summary: 'Read a webhook endpoint',
        description: 'Returns URL, event types and status of the endpoint, without its secret.',
        params: EndpointParams,
        response: { 200: EndpointBody },
      },
    },
    async (request) => {
      const key = { id: request.params.endpointId, ownerId: principalOf(request).userId }
      const endpoint = await requireEndpoint(deps.db, key)
      const failed = await countFailedDeliveries(deps.db, [endpoint.id])
      return withFailed(toEndpointBody(endpoint, deps.clock.now()), failed)
    },
  )
}

function withFailed(endpoint: EndpointBody, failed: ReadonlyMap<string, number>): EndpointBody {
  return { ...endpoint, failedDeliveries: failed.get(endpoint.id) ?? 0 }
}
