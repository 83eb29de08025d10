import { PlatenConnectionError, PlatenError } from '../errors.ts'
import { LONGEST_TIMER_MS } from './wait.ts'

export type Body =
  | string
  | Blob
  | ArrayBuffer
  | Uint8Array<ArrayBuffer>
  | FormData
  | ReadableStream<Uint8Array<ArrayBuffer>>

export interface TransportInit {
  method: string
  headers: Headers
  body?: Body
  signal?: AbortSignal
  credentials?: 'include' | 'same-origin'
  redirect?: 'manual'
  /** Node.js requires this member with a stream. */
  duplex?: 'half'
}

/** A function like `fetch`. */
export type Fetch = (url: string, init: TransportInit) => Promise<Response>

export interface Attempt extends Omit<TransportInit, 'signal'> {
  operation: string
  url: string
  signal: AbortSignal | undefined
  timeoutMs: number
}

/** What limits work: the time limit of an attempt, and the signal of the caller. */
export type Limits = Pick<Attempt, 'operation' | 'url' | 'signal' | 'timeoutMs'>

/**
 * Runs work with a time limit. The work must end when its signal is aborted.
 *
 * @param missing what the work waits for, for the message
 * @throws {PlatenConnectionError} when the time is over
 */
export async function limited<T>(
  { operation, url, signal, timeoutMs }: Limits,
  missing: 'response' | 'credential',
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const timeout = new AbortController()
  const isLimit = timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS
  const timer = isLimit ? setTimeout(() => timeout.abort(), timeoutMs) : undefined
  try {
    return await work(signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]))
  } catch (error) {
    if (error instanceof PlatenError) throw error
    signal?.throwIfAborted()
    if (timeout.signal.aborted) throw new PlatenConnectionError(operation, 'timeout', url, { cause: error, missing })
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Sends a request once, and passes the response to `read` while the time limit still runs.
 *
 * @throws {PlatenConnectionError} {PlatenError} the reason of an aborted signal
 */
export function sendOnce<T>(
  send: Fetch,
  { timeoutMs, signal, ...attempt }: Attempt,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { operation, url, ...init } = attempt
  return limited({ operation, url, signal, timeoutMs }, 'response', async (both) => {
    try {
      const response = await send(url, { ...init, signal: both, ...redirectOf(init) })
      requireNoRedirect(attempt, response)
      return await read(response)
    } catch (error) {
      if (error instanceof PlatenError || both.aborted) throw error
      throw new PlatenConnectionError(operation, 'connection_failed', url, { cause: error })
    }
  })
}

/**
 * A redirect can change a `POST` to a `GET`, which then seems to succeed, and sends bodies with passwords and tokens to
 * another server. Files are redirected to the storage, so a `GET` follows.
 */
function redirectOf({ method }: Pick<TransportInit, 'method'>): { redirect?: 'manual' } {
  return method === 'GET' ? {} : { redirect: 'manual' }
}

/** Pages do not see the status and the target of a redirect. */
function requireNoRedirect(
  { operation, method, url }: Pick<Attempt, 'operation' | 'method' | 'url'>,
  { status, type, headers }: Response,
): void {
  const isRedirect = type === 'opaqueredirect' || (method !== 'GET' && status >= 300 && status < 400 && status !== 304)
  if (!isRedirect) return
  const target = headers.get('location') ?? 'another URL'
  const detail = `${url.replace(/\?.*/s, '')} redirects to ${target}, and ${method} follows no redirect. The client needs the URL in PLATEN_PUBLIC_URL of the service.`
  throw new PlatenError({ operation, status, headers, body: undefined, detail })
}
