import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from '../../problem.ts'
import { httpProblems } from '../core/problems.ts'
import { problemBody } from './errors.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

const REQUEST_ID = Symbol('request id')
type Identified = IncomingMessage & { [REQUEST_ID]?: string }

/** Code of the error for a request body that consists of too many short parts. */
export const SHORT_PARTS = 'SHORT_PARTS'

const HEADER_ENTRIES = Object.entries(SECURITY_HEADERS)

/**
 * Assigns the request id of a response, or takes that of a trusted proxy, and sets the headers that every response has, before any handler can respond.
 */
export function beginResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { isFromProxy }: { isFromProxy: boolean },
): void {
  const id = (isFromProxy ? readRequestId(request) : undefined) ?? randomUUID()
  ;(request as Identified)[REQUEST_ID] = id
  for (const [name, value] of HEADER_ENTRIES) response.setHeader(name, value)
  response.setHeader('X-Request-Id', id)
}

/** Reads the id that a proxy has given to a request: a UUID, or 32 hexadecimal digits, which nginx makes. */
function readRequestId({ headers }: IncomingMessage): string | undefined {
  const digits = String(headers['x-request-id'] ?? '').toLowerCase()
  const [, a, b, c, d, e] =
    /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/.exec(digits) ?? []
  return a === undefined ? undefined : [a, b, c, d, e].join('-')
}

export function requestIdOf(request: IncomingMessage): string {
  return (request as Identified)[REQUEST_ID] ?? randomUUID()
}

/**
 * Node.js stores the response that is being written to a connection in `_httpMessage`. Its own error handler reads it
 * too.
 */
type Answering = Duplex & { _httpMessage?: ServerResponse | null }

/**
 * Responds to bytes that Node.js could not parse as HTTP, with a problem in place of a bare status line. Then closes
 * the connection.
 */
export function respondUnreadable(error: Error & { code?: string }, socket: Duplex, documentationBase: string): void {
  // If another response is being written, the client would take this response for a part of it.
  const isAnswering = (socket as Answering)._httpMessage?.headersSent === true
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy()
    return
  }
  const problem = unreadable(error.code)
  const requestId = randomUUID()
  const body = JSON.stringify(problemBody(problem, documentationBase, requestId, `urn:uuid:${requestId}`))
  const headers = {
    ...SECURITY_HEADERS,
    'X-Request-Id': requestId,
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`)
}

function unreadable(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return httpProblems.headers_too_large()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return httpProblems.request_timeout()
  if (code === SHORT_PARTS) return httpProblems.malformed_request('The body consists of too many short chunks.')
  return httpProblems.malformed_request()
}
