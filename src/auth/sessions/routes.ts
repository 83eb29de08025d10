import { bearerOf } from '../../platform/http/core/bearer.ts'
import { defineGuard } from '../../platform/http/core/guard.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { PageQuery, pageOf, readCursor, toPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { callerOf, clientOf } from '../http/caller-of.ts'
import type { CookieSettings } from '../http/cookies.ts'
import { requireSession, sessionOf, unauthenticated } from '../http/guards.ts'
import { clearSessionCookie, SessionQuery } from '../http/session-cookie.ts'
import { isId } from '../ids.ts'
import { authProblems, COOKIE_PROBLEMS } from '../problems.ts'
import { NoContent } from '../schemas.ts'
import type { AccessTokens } from './access-token.ts'
import { logOut, revokeOtherSessions, revokeSession, type SessionDeps } from './end-sessions.ts'
import { SessionBody, SessionParams, toSessionBody } from './schemas.ts'
import { listOpenSessions } from './store.ts'

type RouteDeps = CookieSettings & { tokens: AccessTokens }

type RoutesDeps = SessionDeps & RouteDeps

export function sessionRoutes(app: App, auth: RoutesDeps): void {
  logoutRoute(app, auth)

  app.get(
    '/api/auth/sessions',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'listSessions',
        tags: ['Account'],
        summary: "List the caller's sessions",
        description: 'Lists the devices that are signed in, newest first. `current` marks the session of this request.',
        querystring: PageQuery,
        response: { 200: pageOf(SessionBody) },
      },
    },
    async (request) => {
      const { userId, credentialId } = principalOf(request)
      const after = readCursor(request.query)
      const sessions = await listOpenSessions(auth.db, userId, request.query, after, auth.clock.now())
      return toPage(sessions, request.query, (session) => toSessionBody(session, credentialId))
    },
  )

  app.delete(
    '/api/auth/sessions/:sessionId',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'revokeSession',
        tags: ['Account'],
        summary: 'End a session',
        description: 'The access tokens of that session stop working at once.',
        params: SessionParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { sessionId: id } = request.params
      if (!isId('session', id)) throw authProblems.session_not_found()
      await revokeSession(auth, callerOf(auth, request), id)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/api/auth/sessions/revoke-others',
    {
      onRequest: requireSession(),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'revokeOtherSessions',
        tags: ['Account'],
        summary: 'End all sessions except the current one',
        description:
          'The access tokens of the ended sessions stop working at once. Sign-ins that wait for a second factor end, too.',
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await revokeOtherSessions(auth, callerOf(auth, request))
      return reply.code(204).send(null)
    },
  )
}

/**
 * Adds the route that ends the session of the request. It also accepts the token of a session that has ended, because a
 * client that got no response repeats the request.
 */
function logoutRoute(app: App, auth: RoutesDeps): void {
  const guard = defineGuard({ kind: 'session' }, async (request) => {
    if (request.principal !== undefined) {
      if (request.principal.kind !== 'guest') sessionOf(request)
      return
    }
    if ((await tokenContent(auth, bearerOf(request))) === undefined) throw unauthenticated(request)
  })
  app.post(
    '/api/auth/logout',
    {
      onRequest: guard,
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'logout',
        problems: [...COOKIE_PROBLEMS],
        tags: ['Sign-in'],
        summary: 'End the present session',
        description: 'Can be repeated with the same token. Clears the cookie of a browser session.',
        querystring: SessionQuery,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const content = await tokenContent(auth, bearerOf(request))
      if (content !== undefined)
        await logOut(auth, clientOf(auth, request), { id: content.sessionId, userId: content.userId })
      clearSessionCookie(auth, reply)
      return reply.code(204).send(null)
    },
  )
}

function tokenContent(auth: RouteDeps, token: string | undefined) {
  return token === undefined ? undefined : auth.tokens.read(token)
}
