import swagger from '@fastify/swagger'
import type { FastifySchema, RouteOptions } from 'fastify'
import type { App } from '../core/app-type.ts'
import { type GuardDescription, guardOf, publicRoute } from '../core/guard.ts'
import { piecesOf } from '../flow/pieces.ts'
import { withDeepObjects } from './deep-objects.ts'
import { describeBody } from './document/bodies.ts'
import type { Json } from './document/json.ts'
import { nameBodies, nameSchemas } from './document/names.ts'
import { clarifyUnions } from './document/unions.ts'

/** The base path of the documented URLs. The paths in the document do not include it. */
const BASE_PATH = '/v1'

const PROBLEM_SCHEMA: object = {
  title: 'Problem',
  type: 'object',
  description: 'Problem details (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'URL of a page that explains the problem.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string', description: 'Stable identifier of the kind of problem.' },
    requestId: { type: 'string' },
    pointer: {
      type: 'string',
      description: 'JSON Pointer into the request body. Present if the only fault is in the body.',
    },
    parameter: {
      type: 'string',
      description: 'Name of the path or query parameter. Present if the only fault is in a parameter.',
    },
    header: { type: 'string', description: 'Name of the header. Present if the only fault is in a header.' },
    errors: {
      type: 'array',
      items: {
        title: 'ProblemDetail',
        type: 'object',
        required: ['code', 'detail'],
        properties: {
          code: { type: 'string' },
          pointer: { type: 'string', description: 'JSON Pointer into the request body.' },
          parameter: { type: 'string' },
          header: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
  },
}

/**
 * Collects the schemas of all routes in the OpenAPI 3.1 document. Call this function before the first route is added.
 */
export async function addOpenApi(app: App, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Platen',
        version,
        description:
          'Designs and orders of made-to-order products: sign in, create a design for a product, finalize it, order it, and follow the order until it is delivered.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: BASE_PATH }],
      components: {
        securitySchemes: {
          accessToken: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'Access token from a sign-in or a refresh.',
          },
          apiKey: { type: 'http', scheme: 'bearer', description: 'API key, sent in the same way as an access token.' },
        },
        responses: {
          Problem: {
            description: 'The request failed.',
            content: { 'application/problem+json': { schema: PROBLEM_SCHEMA } },
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({ schema: document(schema, url, route), url: url.slice(BASE_PATH.length) }),
  })
  app.addHook('onRoute', ({ schema, url, method }) => {
    if (
      url.startsWith(`${BASE_PATH}/`) &&
      schema?.hide !== true &&
      method !== 'HEAD' &&
      schema?.operationId === undefined
    ) {
      throw new Error(`route ${String(method)} ${url} has no operationId`)
    }
  })
}

/** Adds the route of the document itself. Call this function after all routes are added. */
export function addOpenApiRoute(app: App): void {
  let document: Buffer | undefined
  app.get(`${BASE_PATH}/openapi.json`, { onRequest: publicRoute, schema: { hide: true } }, async (_request, reply) => {
    // The document is built with the first request, because building takes some time. It does not change while the
    // service runs.
    document ??= Buffer.from(JSON.stringify(openApiDocument(app)))
    // All responses share the same bytes. With a stream, no response needs a copy.
    return reply
      .type('application/json; charset=utf-8')
      .header('Content-Length', document.length)
      .send(piecesOf(document))
  })
}

export function openApiDocument(app: App): object {
  const document = app.swagger() as unknown as OpenApi
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) {
      operation.responses = { ...operation.responses, default: { $ref: '#/components/responses/Problem' } }
      if (operation.requestBody !== undefined) operation.requestBody = describeBody(operation.requestBody)
      for (const parameter of operation.parameters ?? []) {
        if (parameter.schema?.type === 'object') Object.assign(parameter, { style: 'deepObject', explode: true })
        // A parameter with a default always has a value in the service, but the client may leave it out.
        if (parameter.schema?.default !== undefined) parameter.required = false
      }
    }
  }
  const paths = clarifyUnions(document.paths)
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations)))
    nameBodies(operation, operation.operationId)
  const schemas: Json = {}
  const named = { paths: nameSchemas(paths, schemas), components: nameSchemas(document.components, schemas) as Json }
  return { ...document, paths: named.paths, components: { ...named.components, schemas } }
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: object
}
interface Operation extends Json {
  operationId: string
  responses?: Record<string, unknown>
  parameters?: Parameter[]
  requestBody?: Json
}
interface Parameter {
  required?: boolean
  schema?: { type?: unknown; default?: unknown }
}

function document(schema: FastifySchema | undefined, url: string, route: RouteOptions): FastifySchema {
  if (!url.startsWith(`${BASE_PATH}/`)) return { ...schema, hide: true }
  const security = securityOf(guardOf(route))
  return { ...withDeepObjects(schema ?? {}), ...(security === undefined ? {} : { security }) }
}

function securityOf(guard: GuardDescription | undefined): Record<string, string[]>[] | undefined {
  if (guard === undefined || guard.kind === 'public' || guard.kind === 'local') return undefined
  // If the guard names no permission, API keys are not accepted, only a session.
  if (guard.permission === undefined) return [{ accessToken: [] }]
  return [{ accessToken: [] }, { apiKey: [guard.permission, ...(guard.morePermissions ?? [])] }]
}
