import { PlatenConnectionError, PlatenError } from '../errors.ts'

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

/**
 * Sends a request once, and passes the response to `read` while the timeout still runs.
 *
 * @throws {PlatenConnectionError} {PlatenError} the reason of an aborted signal
 */
export async function sendOnce<T>(
  send: Fetch,
  { operation, url, signal, timeoutMs, ...init }: Attempt,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const timeout = new AbortController()
  const timer = timeoutMs === 0 ? undefined : setTimeout(() => timeout.abort(), timeoutMs)
  const both = signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal])
  try {
    return await read(await send(url, { ...init, signal: both }))
  } catch (error) {
    if (error instanceof PlatenError) throw error
    signal?.throwIfAborted()
    throw new PlatenConnectionError(operation, timeout.signal.aborted ? 'timeout' : 'connection_failed', url, error)
  } finally {
    clearTimeout(timer)
  }
}
