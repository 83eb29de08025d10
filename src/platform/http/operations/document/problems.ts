import type { FastifyContextConfig } from 'fastify'
import { problemCatalogue } from '../../../problem.ts'
import { PROBLEM_HEADERS } from './headers.ts'
import { isObject, type Json } from './json.ts'

/** A status with a code in a description, such as: 422 `too_many_fonts`. */
const STATED = /\b([45]\d\d)(?: problem)? `([a-z][a-z0-9_]+)`/g

/** Codes by status. */
type Codes = Map<number, Set<string>>

/**
 * Documents the problems of an operation by status, with the codes that its guard, its input and its description
 * determine. Later versions may add codes, so `default` covers all other problems.
 */
export function describeProblems(operation: Json, config: FastifyContextConfig, path: string): void {
  const codes: Codes = new Map()
  const add = (status: number, ...more: string[]) => codes.set(status, new Set([...(codes.get(status) ?? []), ...more]))
  addRequestProblems(operation, add)
  addGuardProblems(config, add)
  addHeaderProblems(config, add)
  for (const [, parameter = ''] of path.matchAll(/\{(\w+)\}/g)) add(404, ...notFoundCodes(parameter))
  for (const [, status, code = ''] of String(operation['description'] ?? '').matchAll(STATED)) {
    if (
      problemCatalogue()
        .get(code)
        ?.some((definition) => definition.status === Number(status)) === true
    )
      add(Number(status), code)
  }
  add(429, 'rate_limited')
  add(503, 'service_unavailable')
  const described = [...codes].sort(([a], [b]) => a - b).map(([status, known]) => [status, responseOf(status, known)])
  const responses = isObject(operation['responses']) ? operation['responses'] : {}
  operation['responses'] = {
    ...responses,
    ...Object.fromEntries(described),
    default: { $ref: '#/components/responses/Problem' },
  }
}

type Add = (status: number, ...codes: string[]) => void

function addRequestProblems({ requestBody, parameters }: Json, add: Add): void {
  add(400, 'malformed_request', ...(requestBody === undefined && parameters === undefined ? [] : ['validation_failed']))
  const names = Array.isArray(parameters) ? parameters.map((one) => (isObject(one) ? one['name'] : undefined)) : []
  if (names.includes('cursor')) add(400, 'invalid_cursor')
  if (requestBody === undefined) return
  add(400, 'malformed_json')
  add(413, 'body_too_large')
  add(415, 'unsupported_media_type')
}

function addGuardProblems({ guard }: FastifyContextConfig, add: Add): void {
  // A bad credential is refused even by operations that need none.
  add(401, 'credential_not_accepted')
  if (guard?.takesCustomer === true) {
    add(403, 'insufficient_role', 'customer_has_account')
    add(404, 'customer_unknown')
  }
  if (guard === undefined || guard.kind === 'public' || guard.kind === 'local') return
  add(401, 'authentication_required')
  if (guard.role !== undefined) add(403, 'insufficient_role')
  if (guard.permission === undefined) add(403, 'session_required')
  else add(403, 'insufficient_scope')
  if (guard.stepUp === true) add(403, 'step_up_required')
}

function addHeaderProblems({ honours = [] }: FastifyContextConfig, add: Add): void {
  if (honours.includes('If-Match')) add(412, 'precondition_failed')
  if (honours.includes('Accept')) add(406, 'not_acceptable')
  if (!honours.includes('Idempotency-Key')) return
  add(400, 'idempotency_key_invalid')
  add(409, 'idempotency_key_in_progress')
  add(413, 'storage_quota_exceeded')
  add(422, 'idempotency_key_reused')
}

/** Returns the code for an unknown record, by the name of its path parameter: `designId` has `design_not_found`. */
function notFoundCodes(parameter: string): string[] {
  const record = parameter.replace(/Id$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const isNotFound = (code: string) =>
    code.endsWith('_not_found') &&
    problemCatalogue()
      .get(code)
      ?.some(({ status }) => status === 404) === true
  const exact = `${record}_not_found`
  if (isNotFound(exact)) return [exact]
  return [...problemCatalogue().keys()].filter((code) => code.endsWith(`_${exact}`) && isNotFound(code))
}

function responseOf(status: number, codes: ReadonlySet<string>): Json {
  const known = [...codes].sort()
  const lines = known.map((code) => `- \`${code}\`: ${titleOf(code, status)}`)
  return {
    description: lines.length === 0 ? 'The request failed.' : lines.join('\n'),
    headers: PROBLEM_HEADERS,
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    'x-platen-codes': known,
  }
}

/** Returns the title of a problem, and its other statuses if the code has several. */
function titleOf(code: string, status: number): string {
  const definitions = problemCatalogue().get(code) ?? []
  const title = definitions.find((definition) => definition.status === status)?.title ?? code
  const others = definitions.filter((definition) => definition.status !== status)
  if (others.length === 0) return title
  return `${title} (with status ${others.map((other) => `${other.status}: ${other.title}`).join('; ')})`
}
