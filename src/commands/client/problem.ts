import { CommandError } from '../command-error.ts'

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
}

/** A response with status 400 or above. Its message has several lines: the problem, then each fault with its place. */
export class ApiError extends CommandError {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(describe(problem))
    this.problem = problem
  }
}

/** Reads the problem of a response. A proxy may respond with something else, of which only the status is known. */
export async function readProblem(response: Response): Promise<Problem> {
  const { status, statusText } = response
  const unknown = { status, title: statusText || 'Request failed', code: `status_${status}` }
  const text = await response.text().catch(() => '')
  try {
    const body = JSON.parse(text) as unknown
    return typeof body === 'object' && body !== null ? { ...unknown, ...body } : unknown
  } catch {
    return unknown
  }
}

function describe({ status, title, code, detail, requestId, errors = [] }: Problem): string {
  return [
    `${title} (${code}, status ${status})`,
    ...(detail === undefined || detail === title ? [] : [detail]),
    ...errors.map((fault) => `  ${placeOf(fault)}${fault.detail ?? fault.code ?? ''}`),
    ...(requestId === undefined ? [] : [`Request id: ${requestId}`]),
  ].join('\n')
}

function placeOf({ pointer, parameter, header }: Fault): string {
  if (parameter !== undefined) return `parameter ${parameter}${pointer ?? ''}: `
  if (header !== undefined) return `header ${header}: `
  return pointer === undefined ? '' : `${pointer === '' ? 'the body' : pointer}: `
}
