import { PlatenConnectionError, PlatenError } from '../errors.ts'
import type { Event } from '../generated/types.ts'
import { delayBefore } from '../request/retry.ts'
import { wait } from '../request/wait.ts'
import { parseEvents, type StreamState } from './parse-events.ts'
import { readChunks } from './read-chunks.ts'
import type { EventStream, StreamOptions, StreamQuery } from './stream-types.ts'

/** Opens one connection. */
export type Connect = (
  query: Readonly<Record<string, string | undefined>>,
  options: { headers: Record<string, string>; signal: AbortSignal },
) => Promise<Response>

/** The service sends a comment every 15 seconds. */
const IDLE_MS = 40_000

const FIRST_RETRY_MS = 2_000

/**
 * Follows events. When a connection ends, opens another one that continues after the last event, so that no event is
 * skipped or repeated.
 */
export function streamEvents(connect: Connect, query: StreamQuery = {}, options: StreamOptions = {}): EventStream {
  const state: StreamState = { lastEventId: query.after, retryMs: FIRST_RETRY_MS }
  let received = query.after
  const follow = async function* (): AsyncGenerator<Event, undefined> {
    for (let failures = 0; ; failures += 1) {
      const connection = new AbortController()
      try {
        const body = await open(connect, { query, options, state, connection })
        options.onOpen?.()
        failures = 0
        for await (const data of parseEvents(
          readChunks(body, IDLE_MS, () => connection.abort()),
          state,
        )) {
          received = state.lastEventId
          yield JSON.parse(data) as Event
        }
        await wait(state.retryMs, options.signal)
      } catch (error) {
        options.signal?.throwIfAborted()
        await wait(delayAfter(error, failures, state), options.signal)
      } finally {
        connection.abort()
      }
    }
  }
  return Object.defineProperty(
    follow() as unknown as EventStream & { lastEventId: string | undefined },
    'lastEventId',
    {
      get: () => received,
    },
  )
}

interface Opening {
  query: StreamQuery
  options: StreamOptions
  state: StreamState
  connection: AbortController
}

async function open(connect: Connect, { query, options, state, connection }: Opening) {
  const { type, after } = query
  const ticket = await query.ticket?.()
  const headers = {
    ...options.headers,
    ...(state.lastEventId === undefined ? {} : { 'Last-Event-ID': state.lastEventId }),
  }
  const signals = options.signal === undefined ? [connection.signal] : [connection.signal, options.signal]
  const response = await connect({ after, type, ticket }, { headers, signal: AbortSignal.any(signals) })
  return response.body
}

/**
 * Returns the milliseconds to wait after a failure.
 *
 * @throws the error, if another connection would fail in the same way
 */
function delayAfter(error: unknown, failures: number, { retryMs }: StreamState): number {
  if (error instanceof PlatenError) {
    const delay = error.status === 429 || error.status >= 500 ? delayBefore(failures, error.headers) : undefined
    if (delay === undefined) throw error
    return delay
  }
  // What reading a body throws when its connection breaks differs between platforms.
  const isConnection = error instanceof PlatenConnectionError || error instanceof TypeError || isAbort(error)
  if (!isConnection) throw error
  return Math.max(failures === 0 ? retryMs : 0, delayBefore(failures, undefined) ?? retryMs)
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'
