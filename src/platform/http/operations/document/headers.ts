import type { FastifyContextConfig } from 'fastify'
import type { HonouredHeader } from '../../core/route-headers.ts'
import { isObject, type Json } from './json.ts'

type ListedHeader = HonouredHeader | 'If-None-Match' | 'Platen-Customer'

const REQUEST_HEADERS: Readonly<Record<ListedHeader, { description: string; schema: Json }>> = {
  'Idempotency-Key': {
    description:
      '1 to 255 visible ASCII characters that name the request for 24 hours. A repetition with the same key and body gets the stored response.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'If-Match': {
    description: 'The operation is done only if the current `ETag` is among these; otherwise 412.',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    description: 'If the current `ETag` is among these, the response is 304.',
    schema: { type: 'string' },
  },
  Prefer: {
    description: '`respond-async` for a response before the work is complete (RFC 7240).',
    schema: { type: 'string', examples: ['respond-async'] },
  },
  Accept: {
    description: 'Media types that the client accepts. The operation lists the available ones.',
    schema: { type: 'string' },
  },
  'Platen-Customer': {
    description: 'Operators and their API keys: the id of the customer for whom the request is made.',
    schema: { type: 'string' },
  },
}

const RESPONSE_HEADERS = {
  'X-Request-Id': { description: 'Id of the request, as in the log.', schema: { type: 'string' } },
  'RateLimit-Policy': {
    description: 'The rate limit of the request (IETF draft-ietf-httpapi-ratelimit-headers).',
    schema: { type: 'string' },
  },
  RateLimit: { description: 'The remainder of the rate limit.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds after which to repeat the request.', schema: { type: 'integer' } },
  'Idempotent-Replayed': {
    description: '`true` in the stored response to a repeated request.',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: { description: 'Version of the record, for `If-Match` and `If-None-Match`.', schema: { type: 'string' } },
  Location: { description: 'URL of the record or of the bytes.', schema: { type: 'string', format: 'uri-reference' } },
  Deprecation: { description: 'Time since which the operation is deprecated (RFC 9745).', schema: { type: 'string' } },
  Sunset: {
    description: 'Time after which the operation may be removed (RFC 8594).',
    schema: { type: 'string' },
  },
}
type ResponseHeader = keyof typeof RESPONSE_HEADERS

/** The headers as components, to which operations refer. */
export const HEADER_COMPONENTS = {
  headers: RESPONSE_HEADERS as Json,
  parameters: Object.fromEntries(
    Object.entries(REQUEST_HEADERS).map(([name, header]) => [name, { name, in: 'header', required: false, ...header }]),
  ),
}

/** The headers of every problem. */
export const PROBLEM_HEADERS = refer(['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Retry-After'])

/** Lists the request headers that an operation honours, and the headers of its responses. */
export function describeHeaders(operation: Json, config: FastifyContextConfig): void {
  const { honours = [], deprecated, guard } = config
  const responses = isObject(operation['responses']) ? operation['responses'] : {}
  const listed: ListedHeader[] = [...honours]
  if (responses['304'] !== undefined) listed.push('If-None-Match')
  if (guard?.takesCustomer === true) listed.push('Platen-Customer')
  const parameters = Array.isArray(operation['parameters']) ? operation['parameters'] : []
  const all = [...parameters, ...listed.map((name) => ({ $ref: `#/components/parameters/${name}` }))]
  if (all.length > 0) operation['parameters'] = all
  for (const [status, response] of Object.entries(responses))
    if (isObject(response)) response['headers'] = refer(headersOf(status, config, responses['304'] !== undefined))
  if (deprecated !== undefined) operation['deprecated'] = true
}

function headersOf(status: string, config: FastifyContextConfig, hasTag: boolean): ResponseHeader[] {
  const { honours = [], sets = [], deprecated, unlimited } = config
  return [
    'X-Request-Id',
    ...(unlimited === true ? [] : (['RateLimit-Policy', 'RateLimit'] as const)),
    ...(honours.includes('Idempotency-Key') ? (['Idempotent-Replayed'] as const) : []),
    ...(sets.includes('ETag') || (hasTag && status !== '302') ? (['ETag'] as const) : []),
    ...(status === '302' || (sets.includes('Location') && /^20[012]$/.test(status) && hasLocation(status, config))
      ? (['Location'] as const)
      : []),
    ...(deprecated === undefined ? [] : (['Deprecation', 'Sunset'] as const)),
  ]
}

/** A record that exists already, and a record that is ready at once, is in the response and has no `Location`. */
function hasLocation(status: string, { honours = [] }: FastifyContextConfig): boolean {
  return !(status === '200' && honours.includes('Prefer'))
}

function refer(names: readonly ResponseHeader[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
