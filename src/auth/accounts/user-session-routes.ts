import { PageQuery, pageOf, readCursor, toPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { callerOf } from '../http/caller-of.ts'
import type { CookieSettings } from '../http/cookies.ts'
import { requireAdminStepUp, requireRole } from '../http/guards.ts'
import { NoContent } from '../schemas.ts'
import type { AccountChangeDeps } from '../sessions/end-sessions.ts'
import { SessionBody, toSessionBody } from '../sessions/schemas.ts'
import { listOpenSessions } from '../sessions/store.ts'
import { endSessionsOfUser } from './end-sessions-of-user.ts'
import { checkedUserId, requireAccount } from './require-account.ts'
import { UserParams } from './schemas.ts'

/** Routes with which administrators see and end the sessions of other accounts. */
export function userSessionRoutes(app: App, auth: AccountChangeDeps & CookieSettings): void {
  app.get(
    '/users/:userId/sessions',
    {
      onRequest: requireRole('admin', 'users:read'),
      schema: {
        operationId: 'listUserSessions',
        tags: ['Users'],
        summary: 'List the sessions of a user',
        description: 'The devices that are signed in, newest first. `current` marks the session of this request.',
        params: UserParams,
        querystring: PageQuery,
        response: { 200: pageOf(SessionBody) },
      },
    },
    async ({ params, query, principal }) => {
      const { id } = await requireAccount(auth.db, params.userId)
      const sessions = await listOpenSessions(auth.db, id, query, readCursor(query), auth.clock.now())
      return toPage(sessions, query, (session) => toSessionBody(session, principal?.credentialId ?? ''))
    },
  )

  app.post(
    '/users/:userId/sessions/revoke-all',
    {
      onRequest: requireAdminStepUp(),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'revokeUserSessions',
        tags: ['Users'],
        summary: 'End all sessions of a user',
        description: 'The access tokens stop working at once. The user gets a mail. API keys stay.',
        params: UserParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await endSessionsOfUser(auth, callerOf(auth, request), checkedUserId(request.params.userId))
      return reply.code(204).send(null)
    },
  )
}
