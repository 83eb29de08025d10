import type { FastifyRequest } from 'fastify'
import type { App } from './core/app-type.ts'
import { createOrigins, type Origins } from './core/origins.ts'

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
  const origins = createOrigins(entries)
  warnOfRefusedOrigins(app, origins)
  if (entries.length === 0) return
  app.addHook('onRequest', ({ headers, method, url }, reply, done) => {
    reply.header('Vary', 'Origin')
    if (headers.origin === undefined || !origins.has(headers.origin)) return done()
    reply.header('Access-Control-Allow-Origin', headers.origin)
    if (cookies?.origins.includes(headers.origin) === true && cookies.paths.test(url.split('?', 1)[0] ?? '')) {
      reply.header('Access-Control-Allow-Credentials', 'true')
    }
    reply.header('Access-Control-Expose-Headers', EXPOSED)
    if (isPreflight({ headers, method })) {
      reply.header('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE')
      reply.header('Access-Control-Allow-Headers', REQUEST_HEADERS)
      reply.header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
    }
    done()
  })
}

function isPreflight({ headers, method }: Pick<FastifyRequest, 'headers' | 'method'>): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

/** Bounds the memory and the log lines that invented origins cost. */
const MAX_WARNINGS = 100
const MAX_LOGGED = 200

/** Logs each origin whose preflight is refused once, because the browser does not tell the page why. */
function warnOfRefusedOrigins(app: App, origins: Origins): void {
  const warned = new Set<string>()
  const warn = (origin: string | undefined): void => {
    if (origin === undefined || origins.has(origin) || warned.has(origin) || warned.size >= MAX_WARNINGS) return
    warned.add(origin)
    app.log.warn({ origin }, 'cross-origin preflight refused: the origin is not in PLATEN_CORS_ORIGINS')
  }
  app.addHook('onRequest', (request, _reply, done) => {
    if (isPreflight(request)) warn(request.headers.origin?.slice(0, MAX_LOGGED))
    done()
  })
}
