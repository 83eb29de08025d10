import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { PROGRESS_BYTES } from './limits.ts'

/** One request with its response, from its authentication until the response has left or the connection has ended. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** Whose memory it takes: a user id, or the key of an IP address. */
  account: string
  /** Bytes of its body and its response that are in memory until it ends. */
  heldBytes: number
  /** Bytes of a streamed response that wait, as last measured. */
  waitingBytes: number
  source: Readable | undefined
  /** Since when the client keeps the service waiting; undefined when it does not. */
  behindSince: number | undefined
  /** Where the measurement of progress began. Only while the client is behind. */
  progress: { since: number; bytes: number }
}

/**
 * Whether this client keeps the service waiting: data for it waits in the process, or the rest of its body has not
 * arrived. A service that does not read the body itself is not the client's fault.
 */
export function isBehind({ request, response }: Exchange): boolean {
  // A response without a socket waits for the responses to earlier requests on its connection.
  if (response.writableLength > 0 && response.socket !== null) return true
  const isRead = request.readableLength < request.readableHighWaterMark
  return !request.complete && !response.writableEnded && isRead
}

/** Bytes that the connection has moved in both directions. Data that waits in the process is not counted. */
function movedBytes({ request: { socket } }: Exchange): number {
  return socket.bytesRead + socket.bytesWritten - socket.writableLength
}

/** Measures how far a client is. To be called about once a second. */
export function measure(exchange: Exchange, now: number): void {
  const { response, source } = exchange
  exchange.waitingBytes = exchange.heldBytes > 0 ? 0 : response.writableLength + (source?.readableLength ?? 0)
  if (!isBehind(exchange)) {
    exchange.behindSince = undefined
    return
  }
  const bytes = movedBytes(exchange)
  const hasMoved = bytes - exchange.progress.bytes >= PROGRESS_BYTES
  if (exchange.behindSince === undefined || hasMoved) exchange.progress = { since: now, bytes }
  exchange.behindSince ??= now
}

/** Whether a client that is behind has moved less than `PROGRESS_BYTES` in this time. */
export function isStalled({ behindSince, progress }: Exchange, now: number, stallMs: number): boolean {
  return behindSince !== undefined && now - progress.since >= stallMs
}
