import swagger from '@fastify/swagger'
import type { FastifySchema, RouteOptions } from 'fastify'
import type { App } from '../core/app-type.ts'
import { guardOf, publicRoute } from '../core/guard.ts'
import { piecesOf } from '../flow/pieces.ts'
import { withDeepObjects } from './deep-objects.ts'
import { describeAccess } from './document/access.ts'
import { describeBody } from './document/bodies.ts'
import { addEventExamples, addExample, readExamples } from './document/examples.ts'
import { describeHeaders, HEADER_COMPONENTS, PROBLEM_HEADERS } from './document/headers.ts'
import type { Json } from './document/json.ts'
import { nameBodies, nameSchemas } from './document/names.ts'
import { portablePatterns } from './document/patterns.ts'
import { PROBLEM_SCHEMA } from './document/problem-schema.ts'
import { type DescribedRoute, describeProblems } from './document/problems.ts'
import { shareResponses } from './document/shared-responses.ts'
import { clarifyUnions } from './document/unions.ts'

/** The base path of the documented URLs. The paths in the document do not include it. */
const BASE_PATH = '/v1'

interface Described {
  version: string
  /** Descriptions of the tags by name. */
  tags: Readonly<Record<string, string>>
  /** The requests that the service sends to clients. */
  webhooks: Json
}

/**
 * Collects the schemas of all routes in the OpenAPI 3.1 document. Call this function before the first route is added.
 */
export async function addOpenApi(app: App, { version, tags, webhooks }: Described): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Platen',
        version,
        description:
          'Designs and orders of made-to-order products: sign in, create a design for a product, finalize it, order it, and follow the order until it is delivered.',
        contact: { name: 'The operator of this installation' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: BASE_PATH }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      webhooks: webhooks as never,
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
            headers: PROBLEM_HEADERS,
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
export function addOpenApiRoute(app: App, origin: string): void {
  let document: Buffer | undefined
  app.get(`${BASE_PATH}/openapi.json`, { onRequest: publicRoute, schema: { hide: true } }, async (_request, reply) => {
    // The document is built with the first request, because building takes some time. It does not change while the
    // service runs.
    document ??= Buffer.from(JSON.stringify({ ...openApiDocument(app), servers: [{ url: `${origin}${BASE_PATH}` }] }))
    // All responses share the same bytes. With a stream, no response needs a copy.
    return reply
      .type('application/json; charset=utf-8')
      .header('Content-Length', document.length)
      .send(piecesOf(document))
  })
}

export function openApiDocument(app: App): object {
  const document = app.swagger() as unknown as OpenApi
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const operation of Object.values(operations)) {
      const { [ROUTE]: config = {} } = operation
      delete operation[ROUTE]
      if (operation.requestBody !== undefined) operation.requestBody = describeBody(operation.requestBody)
      for (const parameter of operation.parameters ?? []) {
        if (parameter.schema?.type === 'object') Object.assign(parameter, { style: 'deepObject', explode: true })
        // A parameter with a default always has a value in the service, but the client may leave it out.
        if (parameter.schema?.default !== undefined) parameter.required = false
      }
      describeHeaders(operation, config)
      describeProblems(operation, config, path)
      describeAccess(operation, config.guard)
    }
  }
  const paths = portablePatterns(clarifyUnions(document.paths))
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations)))
    nameBodies(operation, operation.operationId)
  const schemas: Json = {}
  const named = {
    paths: nameSchemas(paths, schemas),
    webhooks: nameSchemas(clarifyUnions(document.webhooks), schemas),
    components: nameSchemas(document.components, schemas) as Json,
  }
  addExamples(named as Named)
  const responses = { ...(named.components['responses'] as Json), ...shareResponses((named as Named).paths) }
  const components = { ...named.components, ...HEADER_COMPONENTS, responses, schemas }
  return {
    ...document,
    paths: named.paths,
    webhooks: named.webhooks,
    components: withoutUnused(components, { paths, responses }),
  }
}

/** Adds the examples last, because their values are not part of the schemas that the other steps change. */
function addExamples({ paths, webhooks }: Named): void {
  const { operations, events } = readExamples()
  for (const operation of Object.values(paths).flatMap((one) => Object.values(one)))
    addExample(operation, operations[operation.operationId])
  for (const { post } of Object.values(webhooks)) addEventExamples(post, events)
}

/** Leaves out the headers to which no operation refers, because linters report them. */
function withoutUnused({ headers, ...components }: typeof HEADER_COMPONENTS & Json, places: unknown): Json {
  const text = JSON.stringify(places)
  const used = Object.entries(headers).filter(([name]) => text.includes(`"#/components/headers/${name}"`))
  return { ...components, headers: Object.fromEntries(used) }
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  webhooks: Json
  components: object
}
type Named = Pick<OpenApi, 'paths'> & { webhooks: Record<string, { post: Json }> }
interface Operation extends Json {
  [ROUTE]?: DescribedRoute
  operationId: string
  responses?: Record<string, unknown>
  parameters?: Parameter[]
  requestBody?: Json
}
interface Parameter {
  required?: boolean
  schema?: { type?: unknown; default?: unknown }
}

/** The member of an operation with the configuration of its route, until the document is complete. */
const ROUTE = 'x-route'

function document(schema: FastifySchema = {}, url: string, route: RouteOptions): FastifySchema {
  if (!url.startsWith(`${BASE_PATH}/`)) return { ...schema, hide: true }
  const { problems = [], ...described } = withDeepObjects(schema)
  return { ...described, ...{ [ROUTE]: { ...route.config, guard: guardOf(route), problems } } }
}
