import type { Db } from '../../platform/db/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import { locationOfNew } from '../../platform/http/responses/location.ts'
import { PageQuery, pageOf, readCursor, toPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { callerOf } from '../http/caller-of.ts'
import { requireSession, requireStepUp } from '../http/guards.ts'
import { isId } from '../ids.ts'
import { authProblems } from '../problems.ts'
import { NoContent } from '../schemas.ts'
import { createKey, type IssuedKey, type KeyDeps, revokeKey, rotateKey } from './manage-keys.ts'
import { KeyBody, KeyParams, NewKeyBody, RotateBody, SecretKeyBody, toKeyBody } from './schemas.ts'
import { findApiKey, listApiKeys } from './store.ts'
export function apiKeyRoutes(app: App, auth: KeyDeps): void {
  app.post(
    '/api/api-keys',
    {
      onRequest: requireStepUp(),
      config: { honours: ['Idempotency-Key'], sets: ['Location'] },
      schema: {
        operationId: 'createApiKey',
        problems: [authProblems.too_many_api_keys, authProblems.insufficient_role],
        tags: ['API keys'],
        summary: 'Create an API key',
        description:
          'The API key acts as the caller, within its permissions and never beyond the role of the caller. Only this response contains the key.',
        body: NewKeyBody,
        response: { 201: SecretKeyBody },
      },
    },
    async (request, reply) => {
      const { name, permissions, expiresAt } = request.body
      const wanted = { name, permissions, expiresAt: expiresAt === undefined ? null : new Date(expiresAt) }
      return idempotently(auth, request, reply, async (trx) => {
        const issued = await createKey(trx, auth, callerOf(auth, request), wanted)
        return { ...shownOnce(issued), headers: locationOfNew(request, issued.record) }
      })
    },
  )

  app.post(
    '/api/api-keys/:keyId/rotate',
    {
      onRequest: requireStepUp(),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'rotateApiKey',
        problems: [authProblems.api_key_expired, authProblems.too_many_api_keys, authProblems.insufficient_role],
        tags: ['API keys'],
        summary: 'Replace the secret of an API key',
        description:
          'The response contains the new secret, which is not shown again. Id, name and permissions stay. The current secret works until `overlapSeconds` have passed. At most two secrets of a key work at a time.',
        params: KeyParams,
        body: RotateBody,
        response: { 201: SecretKeyBody },
      },
    },
    async (request, reply) => {
      const wanted = { id: checkedId(request.params.keyId), overlapSeconds: request.body.overlapSeconds }
      return idempotently(auth, request, reply, async (trx) =>
        shownOnce(await rotateKey(trx, auth, callerOf(auth, request), wanted)),
      )
    },
  )

  app.delete(
    '/api/api-keys/:keyId',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'revokeApiKey',
        tags: ['API keys'],
        summary: 'Revoke an API key',
        description: 'The key stops working at once on every node, and the owner gets a mail.',
        params: KeyParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await revokeKey(auth, callerOf(auth, request), checkedId(request.params.keyId))
      return reply.code(204).send(null)
    },
  )

  readingRoutes(app, auth)
}

function readingRoutes(app: App, { db }: { db: Db }): void {
  app.get(
    '/api/api-keys',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'listApiKeys',
        tags: ['API keys'],
        summary: "List the caller's API keys",
        description: 'Newest first, without secrets and without revoked keys.',
        querystring: PageQuery,
        response: { 200: pageOf(KeyBody) },
      },
    },
    async (request) => {
      const { userId } = principalOf(request)
      const keys = await listApiKeys(db, userId, request.query, readCursor(request.query))
      return toPage(keys, request.query, toKeyBody)
    },
  )

  app.get(
    '/api/api-keys/:keyId',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'getApiKey',
        tags: ['API keys'],
        summary: 'Read an API key',
        description: 'Returns name, permissions and last use of the key, without its secret.',
        params: KeyParams,
        response: { 200: KeyBody },
      },
    },
    async (request) => {
      const key = await findApiKey(db, { id: checkedId(request.params.keyId), ownerId: principalOf(request).userId })
      if (key === undefined) throw authProblems.api_key_not_found()
      return toKeyBody(key)
    },
  )
}

function checkedId(id: string): string {
  if (!isId('apiKey', id)) throw authProblems.api_key_not_found()
  return id
}

function shownOnce({ record, key }: IssuedKey) {
  return { status: 201, body: { ...toKeyBody(record), key }, secrets: ['key'] as const }
}
