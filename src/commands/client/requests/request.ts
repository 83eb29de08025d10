import { VERSION } from '../../../platform/version.ts'
import { CommandError } from '../../command-line/command-error.ts'
import type { Connection } from './connection.ts'
import { readError } from './problem.ts'
import { fetchFollowing, fetchOnce } from './redirects.ts'

export interface ApiRequest {
  /** JSON, or bytes whose type `headers` states. */
  body?: NonNullable<RequestInit['body']> | null
  headers?: Record<string, string> | Headers
  signal?: AbortSignal
  /** Follows redirects of `get` and `head`, such as those to files in an object storage. Default: they are errors. */
  followsRedirects?: boolean
}

export const USER_AGENT = `Platen/${VERSION} (command line)`

/** Time without a response after which a request has failed. Finalizing a large design takes seconds. */
const RESPONSE_WITHIN_MS = 120_000

/** Returns the URL of an operation. @param path below `/v1`, which may be included, with the query */
export function urlOf(origin: string, path: string): string {
  return `${origin}${path === '/v1' || path.startsWith('/v1/') ? '' : '/v1'}${path}`
}

/**
 * Sends a request with the API key.
 *
 * @throws {CommandError} if there is no response, or a redirect that the command does not follow
 */
export async function send(connection: Connection, method: string, path: string, request: ApiRequest = {}) {
  const { body = null, signal, followsRedirects = false } = request
  const headers = new Headers(request.headers)
  headers.set('user-agent', USER_AGENT)
  if (connection.apiKey !== undefined) headers.set('authorization', `Bearer ${connection.apiKey}`)
  // The time limit ends with the head of the response, because a large file may take longer.
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new DOMException('no response', 'TimeoutError')), RESPONSE_WITHIN_MS)
  const either = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal])
  const url = urlOf(connection.origin, path)
  const init = { method: method.toUpperCase(), headers, body, signal: either }
  try {
    return await (followsRedirects ? fetchFollowing : fetchOnce)(url, init)
  } catch (error) {
    if (signal?.aborted === true || error instanceof CommandError) throw error
    throw new CommandError(
      `Could not reach ${connection.origin}: ${causeOf(error)}. Is the service running there? --url or PLATEN_URL names another one.`,
    )
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Sends a request with a JSON body and returns the JSON of the response.
 *
 * @throws {ApiError} for a response with status 400 or above
 */
export async function call<Result>(
  connection: Connection,
  [method, path]: readonly [method: string, path: string],
  { body, ...request }: Omit<ApiRequest, 'body'> & { body?: unknown } = {},
): Promise<Result> {
  const headers = new Headers(request.headers)
  if (body !== undefined) headers.set('content-type', 'application/json')
  const json = body === undefined ? null : JSON.stringify(body)
  const response = await send(connection, method, path, { ...request, headers, body: json })
  if (response.status >= 400) throw await readError(response)
  return (await readJson(connection, response)) as Result
}

/** Reads a body of JSON. Returns undefined if there is no body. @throws {CommandError} if it is incomplete or not JSON */
export async function readJson(connection: Connection, response: Response): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw new CommandError(`The response of ${connection.origin} is incomplete: ${causeOf(error)}.`)
  })
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    throw new CommandError(`${connection.origin} did not respond with JSON. Is it the origin of a Platen service?`)
  }
}

/** Returns the error for JSON that no Platen service sends. */
export function unexpectedResponse({ origin }: Connection): CommandError {
  return new CommandError(`The response of ${origin} is not that of a Platen service. Check the origin.`)
}

/** Returns why `fetch` failed. It hides the reason, such as "connect ECONNREFUSED", in the cause. */
export function causeOf(error: unknown): string {
  const { cause, message, name } = error as Error
  if (name === 'TimeoutError') return 'no response in time'
  const { message: reason, code } = (cause ?? {}) as { message?: string; code?: string }
  return reason || code || message
}
