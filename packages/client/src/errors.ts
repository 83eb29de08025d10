import type { ProblemCode } from './generated/problem-codes.ts'
import type { ProblemDetail } from './generated/types.ts'
import type { ProblemMembers } from './problem-members.ts'

/** What every error response states. */
export interface ProblemFields {
  status: number
  title: string
  detail: string
  /** URL of a page that explains the problem. */
  type: string
  /** Name of the request in the log of the service. Undefined if the response is not from the service. */
  requestId: string | undefined
  /** All faults of the request. Empty if the problem has no parts. */
  errors: ProblemDetail[]
  /** Place of the only fault in the request body, as a JSON Pointer. */
  pointer?: string
  parameter?: string
  header?: string
  headers: Headers
  /** Resource and method, such as `designs.create`. */
  operation: string
}

type WithMembers = {
  [Code in keyof ProblemMembers]: Omit<ProblemFields, keyof ProblemMembers[Code]> & {
    code: Code
  } & ProblemMembers[Code]
}[keyof ProblemMembers]

/** `unexpected_response` is an error that the service did not write, such as one of a proxy. */
type WithoutMembers = ProblemFields & {
  code: Exclude<ProblemCode, keyof ProblemMembers> | 'unexpected_response'
}

/** An error response of the service. Comparing `code` selects its further members. */
export type PlatenError = Error & (WithMembers | WithoutMembers)

export interface ProblemInput {
  operation: string
  status: number
  headers: Headers
  /** The body, as far as it is a JSON object. */
  body: Record<string, unknown> | undefined
  /** What is wrong with a response that is not a problem. */
  detail?: string
}

interface PlatenErrorConstructor {
  new (input: ProblemInput): PlatenError
  readonly prototype: PlatenError
}

/** Members of an error that are not members of a problem. */
const NOT_FROM_BODY = ['name', 'message', 'stack', 'cause', '__proto__']

class ResponseError extends Error {
  static {
    // Node.js prints the name of the class.
    Object.defineProperty(ResponseError, 'name', { value: 'PlatenError' })
  }

  override name = 'PlatenError'

  constructor({ operation, status, headers, body, detail = notAProblem(status) }: ProblemInput) {
    const problem = problemIn(body)
    super(`${operation}: ${problem?.['detail'] ?? detail}`)
    const defaults = { code: 'unexpected_response', title: 'Unexpected response', type: 'about:blank', detail }
    const requestId = headers.get('x-request-id') ?? undefined
    Object.assign(this, defaults, { requestId }, problem, { errors: faultsIn(problem), status, headers, operation })
  }
}

const notAProblem = (status: number): string => `The response has status ${status} and is not a problem of the service.`

/** Returns the members of a problem. A server that is not the service may respond with any JSON. */
function problemIn(body: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (typeof body?.['code'] !== 'string' || typeof body['detail'] !== 'string') return undefined
  return Object.fromEntries(Object.entries(body).filter(([name]) => !NOT_FROM_BODY.includes(name)))
}

function faultsIn(problem: Record<string, unknown> | undefined): unknown[] {
  return Array.isArray(problem?.['errors']) ? problem['errors'] : []
}

export const PlatenError = ResponseError as unknown as PlatenErrorConstructor

/** No response arrived, or it broke off. */
export class PlatenConnectionError extends Error {
  override name = 'PlatenConnectionError'
  readonly code: 'connection_failed' | 'timeout'
  readonly operation: string

  /** Without the query, which can contain secrets. */
  readonly url: string

  constructor(
    operation: string,
    code: 'connection_failed' | 'timeout',
    url: string,
    { cause, missing = 'response' }: { cause?: unknown; missing?: 'response' | 'credential' } = {},
  ) {
    const place = url.replace(/\?.*/s, '')
    const late = missing === 'response' ? `no response in time from ${place}` : `no credential in time for ${place}`
    const reason = code === 'timeout' ? late : `the connection to ${place} failed${causeOf(cause)}`
    super(`${operation}: ${reason}`, { cause })
    this.code = code
    this.operation = operation
    this.url = place
  }
}

/** `fetch` of Node.js states the code of the system, such as `ECONNREFUSED`, in the cause of its error. */
function causeOf(error: unknown): string {
  const {
    cause,
    code = cause?.code,
    message,
  } = (error ?? {}) as {
    cause?: { code?: string }
    code?: string
    message?: string
  }
  const text = typeof code === 'string' ? code : message
  return text === undefined ? '' : ` (${text})`
}
