import type { App } from './core/app-type.ts'

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
  'Prefer',
].join(', ')

const PREFLIGHT_SECONDS = '600'

/**
 * Lets web pages of these origins call the API and read its responses (Fetch standard, section 3.3). Clients send
 * credentials in a header and never in cookies. `@fastify/cors` does not fit: it adds a route without a guard, responds
 * to preflight requests without `Allow`, and exposes headers to every origin.
 *
 * @param origins scheme, host and port, compared exactly
 */
export function addCors(app: App, origins: readonly string[]): void {
  if (origins.length === 0) return
  app.addHook('onRequest', async ({ headers, method }, reply) => {
    reply.header('Vary', 'Origin')
    if (headers.origin === undefined || !origins.includes(headers.origin)) return
    reply.header('Access-Control-Allow-Origin', headers.origin)
    reply.header('Access-Control-Expose-Headers', EXPOSED)
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return
    reply.header('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE')
    reply.header('Access-Control-Allow-Headers', REQUEST_HEADERS)
    reply.header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
  })
}
