import type { FastifyContextConfig } from 'fastify'
import { type ProblemDefinition, type ProblemFactory, problemCatalogue } from '../../../problem.ts'
import { PROBLEM_HEADERS } from './headers.ts'
import { isObject, type Json } from './json.ts'
import { schemaOfProblems } from './problem-schema.ts'

/** A status with a code in a description, such as: 422 `too_many_fonts`. */
const STATED = /\b([45]\d\d)(?: problem)? `([a-z][a-z0-9_]+)`/g

/** Codes by status. */
type Codes = Map<number, Set<string>>

declare module 'fastify' {
  interface FastifySchema {
    /** The problems of the operation itself. Those of its guard, its headers and its input are added. */
    problems?: readonly ProblemFactory[]
  }
}

/**
 * Documents the problems of an operation by status, with the codes that its route declares and those that its guard, its
 * input and its description determine. Later versions may add codes, so `default` covers all other problems.
 *
 * @throws Error if a code is listed with a status that it does not have
 */
export function describeProblems(operation: Json, route: DescribedRoute, path: string): void {
  const codes: Codes = new Map()
  const add = (status: number, ...more: string[]) => {
    for (const code of more) requireDefinition(code, status, operation)
    codes.set(status, new Set([...(codes.get(status) ?? []), ...more]))
  }
  addRequestProblems(operation, add)
  addGuardProblems(route, add)
  addHeaderProblems(route, add)
  for (const [, parameter = ''] of path.matchAll(/\{(\w+)\}/g)) add(404, ...notFoundCodes(parameter))
  for (const [, status, code = ''] of String(operation['description'] ?? '').matchAll(STATED))
    if (problemCatalogue().has(code)) add(Number(status), code)
  for (const { code, definition } of route.problems ?? []) add(definition.status, code)
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

export interface DescribedRoute extends FastifyContextConfig {
  problems?: readonly ProblemFactory[]
}

type Add = (status: number, ...codes: string[]) => void

function definitionOf(code: string, status: number): ProblemDefinition | undefined {
  return problemCatalogue()
    .get(code)
    ?.find((definition) => definition.status === status)
}

function requireDefinition(code: string, status: number, { operationId }: Json): void {
  if (definitionOf(code, status) !== undefined) return
  throw new Error(`${operationId} lists the problem ${code} with status ${status}, which it does not have`)
}

function addRequestProblems({ requestBody, parameters }: Json, add: Add): void {
  // Operations without parameters refuse unknown ones, and headers that do not belong to them.
  add(400, 'malformed_request', 'validation_failed')
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
    add(422, 'customer_unknown')
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
  const isNotFound = (code: string) => code.endsWith('_not_found') && definitionOf(code, 404) !== undefined
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
    content: { 'application/problem+json': { schema: schemaOfProblems(known, (code) => definitionOf(code, status)) } },
    'x-platen-codes': known,
  }
}

/** Returns the title of a problem, and its other statuses if the code has several. */
function titleOf(code: string, status: number): string {
  const definitions = problemCatalogue().get(code) ?? []
  const title = definitionOf(code, status)?.title ?? code
  const others = definitions.filter((definition) => definition.status !== status)
  if (others.length === 0) return title
  return `${title} (with status ${others.map((other) => `${other.status}: ${other.title}`).join('; ')})`
}
