import assert from 'node:assert/strict'
import { problemCatalogue } from '../../src/platform/problem.ts'
import { operations } from '../contract/document.ts'

/** Problems that any request can have, whatever its operation is. */
const OF_ANY_REQUEST = new Set(['https_required', 'request_timeout', 'headers_too_large'])

/** The members of every problem (RFC 9457, and those of this API). */
const COMMON = 'type title status detail instance code requestId pointer parameter header errors'.split(' ')

const places = [...operations.values()]
  .map((operation) => ({
    operation,
    pattern: new RegExp(`^/v1${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  // A path without parameters is more specific than one with parameters.
  .sort((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length)

interface Sent {
  method: string
  url: string
  status: number
  body: unknown
}

/** Fails if the service sent a problem that openapi.json does not list for the operation, or a member that it lacks. */
export function requireDocumentedProblem({ method, url, status, body }: Sent): void {
  if (status < 400 || status >= 500 || typeof body !== 'object' || body === null || !('code' in body)) return
  const code = String(body.code)
  const { pathname } = new URL(url)
  const place = places.find(
    ({ operation, pattern }) => operation.method.toUpperCase() === method && pattern.test(pathname),
  )
  if (place === undefined || OF_ANY_REQUEST.has(code)) return
  const response = place.operation.responses[status] as { 'x-platen-codes'?: string[] } | undefined
  const name = `${place.operation.operationId} sent the problem ${code} with status ${status}`
  assert.ok(
    response?.['x-platen-codes']?.includes(code),
    `${name}, which openapi.json does not list: add it to \`problems\` of the route`,
  )
  const { members = {} } =
    problemCatalogue()
      .get(code)
      ?.find((definition) => definition.status === status) ?? {}
  const unknown = Object.keys(body).filter((member) => !COMMON.includes(member) && !(member in members))
  assert.deepEqual(unknown, [], `${name} with members that its definition does not declare`)
}
