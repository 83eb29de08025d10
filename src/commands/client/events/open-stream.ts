import { CommandError } from '../../command-line/command-error.ts'
import type { Connection } from '../requests/connection.ts'
import { type ApiError, readError } from '../requests/problem.ts'
import { fetchOnce } from '../requests/redirects.ts'
import { causeOf, USER_AGENT, urlOf } from '../requests/request.ts'

/** Statuses of a service that is starting, stopping or busy, or of a proxy in front of it. */
const TEMPORARY = new Set([408, 425, 429, 500, 502, 503, 504])

/** An end of the stream after which reconnecting makes sense. */
export class Interruption extends Error {
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs = 0) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Opens the event stream behind an event.
 *
 * @throws {CommandError} if the service refuses or redirects the stream
 * @throws {Interruption} if another attempt makes sense
 */
export async function openStream(
  { origin, apiKey }: Connection,
  lastEventId: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const headers = {
    accept: 'text/event-stream',
    'user-agent': USER_AGENT,
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  }
  const response = await fetchOnce(urlOf(origin, '/events/stream'), { headers, signal }).catch((error: unknown) => {
    if (error instanceof CommandError) throw error
    throw new Interruption(`Could not reach ${origin}: ${causeOf(error)}`)
  })
  if (response.status === 200) return response
  throw interruptionBy(await readError(response))
}

/** Returns the interruption that a refusal means. Returns the refusal itself if another attempt makes no sense. */
export function interruptionBy(error: ApiError): Error {
  const { status, title, code } = error.problem
  return TEMPORARY.has(status) ? new Interruption(`${title} (${code})`, error.retryAfterMs) : error
}
