import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { PROGRESS_BYTES } from './limits.ts'

/**
 * One request with its response, from authentication until the response was sent or the connection ended, and the handler
 * has ended too.
 */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** The account whose memory limit applies: a user id, or the key of an IP address. */
  account: string
  /** What the shares of the visitors of its network have in common, otherwise the share of the account. */
  network: string
  /** Bytes of the request and response bodies that stay in memory until the exchange ends. */
  heldBytes: number
  /** Bytes of a streamed response that wait in memory, from the last measurement. */
  waitingBytes: number
  source: Readable | undefined
  /** Time since which the client has kept the service waiting. Undefined if it does not. */
  behindSince: number | undefined
  /** Whether the handler of the route is at work. */
  isHandled: boolean
  /** Ends the exchange if its connection has ended and its handler is not at work. */
  endIfOver: () => void
  /** Start of the current measurement of progress. Only used while the client is behind. */
  progress: { since: number; bytes: number }
}

/**
 * Tells whether the client keeps the service waiting: response data waits in the process, or the rest of the request
 * body has not arrived. Does not count a body that the service itself does not read.
 */
export function isBehind({ request, response }: Exchange): boolean {
  // Cutting the connection of a client that has left would free nothing: only its handler is at work.
  if (request.socket.destroyed) return false
  // A response without a socket waits for the responses to earlier requests on its connection.
  if (response.writableLength > 0 && response.socket !== null) return true
  const isRead = request.readableLength < request.readableHighWaterMark
  return !request.complete && !response.writableEnded && isRead
}

/** Returns the bytes that the connection has transferred in both directions, without data that waits in the process. */
function movedBytes({ request: { socket } }: Exchange): number {
  return socket.bytesRead + socket.bytesWritten - socket.writableLength
}

/** Measures the progress of a client. Call this function about once a second. */
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

/** Tells whether a client that is behind has transferred less than `PROGRESS_BYTES` in this time. */
export function isStalled({ behindSince, progress }: Exchange, now: number, stallMs: number): boolean {
  return behindSince !== undefined && now - progress.since >= stallMs
}
