import { CommandError } from '../../command-line/command-error.ts'

/** One of several faults of a request (RFC 9457). */
interface Fault {
  code?: string
  detail?: string
  pointer?: string
  parameter?: string
  header?: string
}

export interface Problem extends Fault {
  status: number
  title: string
  code: string
  requestId?: string
  errors?: readonly Fault[]
  /** What problems of this code state besides, such as `permission`. */
  [member: string]: unknown
}

/** A response with status 400 or above. Its message has several lines: the problem, then each fault with its place. */
export class ApiError extends CommandError {
  readonly problem: Problem
  /** Time after which the service expects the next request; 0 if it states none. */
  readonly retryAfterMs: number

  constructor(problem: Problem, retryAfterMs: number) {
    super(describe(problem))
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }
}

/** Returns the error for a response with status 400 or above. */
export async function readError(response: Response): Promise<ApiError> {
  const seconds = Number(response.headers.get('retry-after')) || 0
  return new ApiError(await readProblem(response), seconds * 1000)
}

/** Reads the problem of a response. A proxy may respond with something else, of which only the status is known. */
async function readProblem(response: Response): Promise<Problem> {
  const { status, statusText } = response
  const unknown = { title: statusText || 'Request failed', code: `status_${status}` }
  try {
    const body = JSON.parse(await response.text()) as unknown
    return isRecord(body) ? { ...unknown, ...wellTyped(body), ...faultsIn(body), status } : { ...unknown, status }
  } catch {
    return { ...unknown, status }
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Members that are text in every problem. */
const TEXTS = new Set(['title', 'code', 'detail', 'requestId', 'pointer', 'parameter', 'header'])

/** Returns the members, without those that a problem of the service never has in this form. */
function wellTyped({ errors: _errors, ...members }: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([name, value]) => typeof value === 'string' || !TEXTS.has(name)),
  )
}

function faultsIn({ errors }: Record<string, unknown>): { errors?: readonly Fault[] } {
  return Array.isArray(errors) ? { errors: errors.filter(isRecord).map(wellTyped) } : {}
}

/** Members of every problem. `type` and `instance` repeat `code` and the request. */
const COMMON = new Set(['type', 'instance', 'status', 'title', 'code', 'detail', 'requestId', 'errors'])
const PLACES = ['pointer', 'parameter', 'header']

function describe(problem: Problem): string {
  const { status, title, code, detail, requestId, errors = [] } = problem
  // The faults state their places themselves.
  const isShown = (name: string) => !COMMON.has(name) && !(errors.length > 0 && PLACES.includes(name))
  const members = Object.entries(problem).filter(([name]) => isShown(name))
  return [
    `${title} (${code}, status ${status})`,
    ...(detail === undefined || detail === title ? [] : [detail]),
    ...errors.map((fault) => `  ${placeOf(fault)}${fault.detail ?? fault.code ?? ''}`),
    ...members.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
    ...(requestId === undefined ? [] : [`Request id: ${requestId}`]),
  ].join('\n')
}

function placeOf({ pointer, parameter, header }: Fault): string {
  if (parameter !== undefined) return `parameter ${parameter}${pointer ?? ''}: `
  if (header !== undefined) return `header ${header}: `
  return pointer === undefined ? '' : `${pointer === '' ? 'the body' : pointer}: `
}
