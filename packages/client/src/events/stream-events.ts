import { PlatenConnectionError, PlatenError } from '../errors.ts'
import type { Event } from '../generated/types.ts'
import { delayBefore, retryAfterMs } from '../request/retry.ts'
import { share, wait } from '../request/wait.ts'
import { parseEvents, type StreamState } from './parse-events.ts'
import { BrokenConnection, readChunks } from './read-chunks.ts'
import type { EventStream, StreamOptions, StreamQuery } from './stream-types.ts'

/** Opens one connection. */
export type Connect = (
  query: Readonly<Record<string, string | undefined>>,
  options: { headers: Record<string, string>; signal: AbortSignal },
) => Promise<Response>

/** The service sends a comment every 15 seconds. */
const IDLE_MS = 40_000

const FIRST_RETRY_MS = 2_000

/** A stream is there for hours, so it waits longer than a request for a service that asks for it. */
const LONGEST_WAIT_MS = 600_000

/**
 * How long a function of the program may fail, such as the one for tickets, before the stream ends. Its backend may fail
 * for a while, but a mistake in the program must not stay hidden.
 */
const PROGRAM_FAILS_MS = 300_000

/** What one stream works with. */
interface Following {
  connect: Connect
  query: StreamQuery
  options: StreamOptions
  state: StreamState
  /** Aborted by the signal of the program, or when the program leaves the loop. */
  signal: AbortSignal
}

/**
 * Follows events. When a connection ends, opens another one that continues after the last event, so that no event is
 * skipped or repeated.
 */
export function streamEvents(connect: Connect, query: StreamQuery = {}, options: StreamOptions = {}): EventStream {
  const left = new AbortController()
  const state: StreamState = { lastEventId: query.after, retryMs: FIRST_RETRY_MS }
  const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal])
  const received = { id: query.after }
  const events = follow({ connect, query, options, state, signal }, received)
  return {
    next: () => events.next().catch((error: unknown) => endOf(left.signal, error)),
    return: () => {
      // The generator alone would end after the next event.
      left.abort()
      return events.return(undefined)
    },
    get lastEventId() {
      return received.id
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

function endOf(left: AbortSignal, error: unknown): IteratorReturnResult<undefined> {
  if (left.aborted) return { done: true, value: undefined }
  throw error
}

async function* follow(following: Following, received: { id: string | undefined }): AsyncGenerator<Event, undefined> {
  const { state, signal, options } = following
  for (;;) {
    const connection = new AbortController()
    try {
      const body = await open(following, connection)
      options.onOpen?.()
      for await (const data of parseEvents(
        readChunks(body, IDLE_MS, () => connection.abort()),
        state,
      )) {
        received.id = state.lastEventId
        yield JSON.parse(data) as Event
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof BrokenConnection)) throw error
      options.onError?.(error)
    } finally {
      connection.abort()
    }
    await wait(state.retryMs, signal)
  }
}

/** Opens a connection. Tries again until it succeeds, or until it cannot. */
async function open(following: Following, connection: AbortController) {
  const { options, state, signal } = following
  let programFailsSince: number | undefined
  for (let failures = 0; ; failures += 1) {
    try {
      return await openOnce(following, connection)
    } catch (error) {
      signal.throwIfAborted()
      const isOfService = error instanceof PlatenError || error instanceof PlatenConnectionError
      programFailsSince = isOfService ? undefined : (programFailsSince ?? Date.now())
      if (programFailsSince !== undefined && Date.now() - programFailsSince >= PROGRAM_FAILS_MS) throw error
      const delay = delayAfter(error, failures, state)
      if (delay === undefined) throw error
      options.onError?.(error)
      await wait(delay, signal)
    }
  }
}

async function openOnce({ connect, query, options, state, signal }: Following, connection: AbortController) {
  const { type, after } = query
  const ticket = await share(Promise.resolve(query.ticket?.()), signal)
  const headers = {
    ...options.headers,
    ...(state.lastEventId === undefined ? {} : { 'Last-Event-ID': state.lastEventId }),
  }
  const both = AbortSignal.any([connection.signal, signal])
  const response = await connect({ after, type, ticket }, { headers, signal: both })
  const contentType = response.headers.get('content-type')
  if (contentType?.startsWith('text/event-stream') === true) return response.body
  const { status } = response
  const detail = `The response has the content type ${contentType}, so it is not an event stream of the service.`
  throw new PlatenError({ operation: 'events.stream', status, headers: response.headers, body: undefined, detail })
}

/** Returns the milliseconds to wait after a failure, or undefined if another attempt would fail in the same way. */
function delayAfter(error: unknown, failures: number, { retryMs }: StreamState): number | undefined {
  const backoff = delayBefore(failures, undefined) ?? retryMs
  if (error instanceof PlatenError) {
    if (error.status !== 429 && error.status < 500) return undefined
    const asked = retryAfterMs(error.headers.get('retry-after')) ?? 0
    return Math.max(Math.min(asked, LONGEST_WAIT_MS), backoff)
  }
  return Math.max(failures === 0 ? retryMs : 0, backoff)
}
