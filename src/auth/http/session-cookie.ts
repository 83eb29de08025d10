import { Type } from 'typebox'
import type { Config } from '../../config/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import type { HttpRequest, HttpResponse } from '../../platform/http/core/request.ts'
import type { App } from '../../platform/http/server.ts'
import { authProblems } from '../problems.ts'
import { type CookieSettings, cookieOf, setCookie } from './cookies.ts'
import { TOKEN_ROUTES } from './same-site.ts'

/**
 * Browser sessions: with `?session=cookie`, a page of the service keeps the refresh token in a cookie that its scripts
 * cannot read. The cookie serves for `POST /api/auth/refresh?session=cookie` and is no credential anywhere else.
 */
const SESSION_COOKIE = 'platen_session'
const REFRESH_ROUTE = /\/api\/auth\/refresh$/

/** The longest refresh token of a request body; the token of a cookie is validated as such a body. */
const MAX_LENGTH = 4096

/** Open, because some of these routes ignored unknown parameters before they had one. */
export const SessionQuery = Type.Object(
  {
    session: Type.Optional(
      Type.Literal('cookie', {
        description:
          'For pages of the service: the refresh token is set as an HttpOnly cookie and is not in the body. Needs `Origin` of the service (403 `foreign_origin`) and the header `Platen-Session: cookie` (400 `platen_session_required`).',
      }),
    ),
  },
  { additionalProperties: true },
)

/** A reply knows its request. */
export type CookieReply = HttpResponse & {
  readonly request: Pick<HttpRequest, 'headers'> & { readonly query: unknown }
}

export function wantsCookie({ query }: { readonly query: unknown }): boolean {
  return (query as { session?: unknown }).session === 'cookie'
}

/**
 * Admits cookies to token routes from pages of the service only, and passes the cookie of a refresh to the route as its
 * body.
 *
 * @throws `foreign_origin`, `platen_session_required`, `validation_failed`, `invalid_refresh_token`
 */
export function acceptSessionCookies(scope: App, settings: CookieSettings): void {
  const isForCookie = (request: { query: unknown; routeOptions: { url?: string | undefined } }): boolean =>
    wantsCookie(request) && TOKEN_ROUTES.test(request.routeOptions.url ?? '')

  scope.addHook('onRequest', async (request) => {
    if (isForCookie(request)) requireOwnPage(request, settings.config)
  })
  scope.addHook('preValidation', async (request) => {
    if (!isForCookie(request) || !REFRESH_ROUTE.test(request.routeOptions.url ?? '')) return
    request.body = withRefreshToken(request.body, cookieOf(settings, request.headers.cookie, SESSION_COOKIE))
  })
}

function requireOwnPage({ headers }: Pick<HttpRequest, 'headers'>, { origin }: Pick<Config, 'origin'>): void {
  if (headers.origin !== origin) throw authProblems.foreign_origin()
  // Forms and images of other pages cannot send this header, even if a browser omits `Origin`.
  if (headers['platen-session'] !== 'cookie') throw authProblems.platen_session_required()
}

function withRefreshToken(body: unknown, refreshToken: string | undefined): unknown {
  if (typeof body === 'object' && body !== null && 'refreshToken' in body) {
    const detail = 'With `session=cookie`, the refresh token is in the cookie.'
    const errors = [{ code: 'unknown_member', pointer: '/refreshToken', detail }]
    throw httpProblems.validation_failed({ detail, errors })
  }
  if (refreshToken === undefined || refreshToken === '' || refreshToken.length > MAX_LENGTH) {
    throw authProblems.invalid_refresh_token({ headers: { 'WWW-Authenticate': 'Bearer realm="platen"' } })
  }
  return typeof body === 'object' ? { ...body, refreshToken } : (body ?? { refreshToken })
}

export function setSessionCookie(
  settings: CookieSettings,
  reply: HttpResponse,
  { refreshToken, maxAgeSeconds }: { refreshToken: string; maxAgeSeconds: number },
): void {
  const cookie = { name: SESSION_COOKIE, value: refreshToken, maxAgeSeconds, sameSite: 'Strict' } as const
  reply.header('Set-Cookie', setCookie(settings, cookie))
}

export function clearSessionCookie(settings: CookieSettings, reply: HttpResponse): void {
  setSessionCookie(settings, reply, { refreshToken: '', maxAgeSeconds: 0 })
}
