import type { IncomingMessage } from 'node:http'
import { httpProblems } from '../core/problems.ts'

/**
 * The limit for all headers of a request together, without those of `LONG_HEADERS`. Requests of browsers behind two proxies
 * stay below a third of it.
 */
const ORDINARY_BYTES = 8 * 1024

/** Tokens and the cookies of other applications of the same host can be long. */
const LONG_HEADERS = new Set(['authorization', 'cookie'])

/** Longer than the path of any operation. The router decodes it before the request counts towards any limit. */
const PATH_BYTES = 8 * 1024

/** The requests whose path was cut, which `requireShortHeaders` rejects. */
const withLongPath = new WeakSet<object>()

/** Replaces a long path before the router decodes it. The query may be as long as Node.js allows. */
export function cutLongPath(request: Pick<IncomingMessage, 'url'>): void {
  const { url = '' } = request
  if (url.length <= PATH_BYTES) return
  const end = url.indexOf('?')
  if (end !== -1 && end <= PATH_BYTES) return
  request.url = '/'
  withLongPath.add(request)
}

/**
 * Rejects long headers, and a path that `cutLongPath` has cut. What reads lists of values, such as `Accept` and
 * `If-None-Match`, takes far more time for one with thousands of them than an ordinary request.
 *
 * @throws `headers_too_large`
 */
export function requireShortHeaders(request: Pick<IncomingMessage, 'rawHeaders'>): void {
  const { rawHeaders } = request
  if (withLongPath.has(request)) throw httpProblems.headers_too_large('The path of the URL is too long.')
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length
  if (bytes <= ORDINARY_BYTES) return
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (LONG_HEADERS.has(name.toLowerCase())) bytes -= name.length + value.length
  }
  if (bytes > ORDINARY_BYTES) throw httpProblems.headers_too_large()
}

/** Proxies add at most some dozens of addresses. */
const FORWARDED_FOR_BYTES = 1_000

/**
 * Shortens `X-Forwarded-For` to its end, where proxies add addresses, because a client can send any beginning. Fastify reads
 * all of it, from the end, until an address is not that of a proxy.
 */
export function cutForwardedFor(headers: IncomingMessage['headers']): void {
  const header = String(headers['x-forwarded-for'])
  if (header.length <= FORWARDED_FOR_BYTES) return
  const end = header.slice(-FORWARDED_FOR_BYTES)
  headers['x-forwarded-for'] = end.slice(end.indexOf(',') + 1)
}
