import type { App } from './core/app-type.ts'
import { createOrigins } from './core/origins.ts'

/** The response headers that a web page may read. */
const EXPOSED = [
  'Content-Disposition',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ')

const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Platen-Customer',
  'Prefer',
].join(', ')

const PREFLIGHT_SECONDS = '600'

export interface CookiePages {
  /** Compared exactly. */
  origins: readonly string[]
  paths: RegExp
}

/**
 * Lets web pages of these origins call the API and read its responses (Fetch standard, section 3.3). Clients send
 * credentials in a header. Cookies only recognize devices and browsers at sign-in, so only these routes admit them, and
 * only from origins that are named exactly. `@fastify/cors` does not fit: it adds a route without a guard, responds
 * to preflight requests without `Allow`, and exposes headers to every origin.
 *
 * @param entries see `createOrigins`
 * @param cookies to which routes which pages may send cookies
 */
export function addCors(app: App, entries: readonly string[], cookies?: CookiePages): void {
  if (entries.length === 0) return
  const origins = createOrigins(entries)
  app.addHook('onRequest', async ({ headers, method, url }, reply) => {
    reply.header('Vary', 'Origin')
    if (headers.origin === undefined || !origins.has(headers.origin)) return
    reply.header('Access-Control-Allow-Origin', headers.origin)
    if (cookies?.origins.includes(headers.origin) === true && cookies.paths.test(url.split('?', 1)[0] ?? '')) {
      reply.header('Access-Control-Allow-Credentials', 'true')
    }
    reply.header('Access-Control-Expose-Headers', EXPOSED)
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return
    reply.header('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE')
    reply.header('Access-Control-Allow-Headers', REQUEST_HEADERS)
    reply.header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
  })
}
