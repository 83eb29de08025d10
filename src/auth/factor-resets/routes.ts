import { Type } from 'typebox'
import { anonymousRoute } from '../../platform/http/core/guard.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import { pageOf, readCursor, toPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { checkedUserId } from '../accounts/require-account.ts'
import { UserParams } from '../accounts/schemas.ts'
import { callerOf, clientOf } from '../http/caller-of.ts'
import type { CookieSettings } from '../http/cookies.ts'
import { requireAdminStepUp, requireRole } from '../http/guards.ts'
import { isId } from '../ids.ts'
import { authProblems } from '../problems.ts'
import { Closed, MailedToken } from '../schemas.ts'
import type { AccountChangeDeps } from '../sessions/end-sessions.ts'
import { confirmFactorReset, startFactorReset, stopByToken, stopFactorReset } from './reset-factors.ts'
import { FactorResetBody, FactorResetListQuery, FactorResetParams, toFactorResetBody } from './schemas.ts'
import { listFactorResets } from './store.ts'

const tags = ['Users']

type RouteDeps = AccountChangeDeps & CookieSettings

/** Routes with which administrators help users who have lost their second factors. */
export function factorResetRoutes(app: App, auth: RouteDeps): void {
  app.post(
    '/users/:userId/factor-resets',
    {
      onRequest: requireAdminStepUp(),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'startFactorReset',
        problems: [authProblems.mfa_not_enabled, authProblems.factor_reset_exists, authProblems.factor_reset_of_self],
        tags,
        summary: 'Request the removal of the second factors of a user',
        description:
          'For a user who has lost all second factors. Another administrator confirms the request, or it is completed after 24 hours. The user gets a mail with a link that stops it, and the other administrators are asked to confirm. Then all factors, passkeys and recovery codes are removed and all sessions end; the password stays.',
        params: UserParams,
        response: { 201: FactorResetBody },
      },
    },
    async (request, reply) =>
      idempotently(auth, request, reply, async (trx) => {
        const userId = checkedUserId(request.params.userId)
        const body = toFactorResetBody(await startFactorReset(trx, auth, callerOf(auth, request), userId))
        return { status: 201, body }
      }),
  )

  app.get(
    '/factor-resets',
    {
      onRequest: requireRole('admin', 'users:read'),
      schema: {
        operationId: 'listFactorResets',
        tags,
        summary: 'List requests to remove second factors',
        description: 'Newest first.',
        querystring: FactorResetListQuery,
        response: { 200: pageOf(FactorResetBody) },
      },
    },
    async ({ query }) =>
      toPage(await listFactorResets(auth.db, query, query, readCursor(query)), query, toFactorResetBody),
  )

  app.post(
    '/factor-resets/:resetId/confirm',
    {
      onRequest: requireAdminStepUp(),
      schema: {
        operationId: 'confirmFactorReset',
        problems: [authProblems.second_administrator_required, authProblems.factor_reset_of_self],
        tags,
        summary: 'Confirm the removal of second factors',
        description:
          'For an administrator who neither requested it nor owns the account, and whose role has not changed in the last 24 hours. It is completed at once.',
        params: FactorResetParams,
        response: { 200: FactorResetBody },
      },
    },
    async (request) =>
      toFactorResetBody(await confirmFactorReset(auth, callerOf(auth, request), checkedId(request.params.resetId))),
  )

  app.post(
    '/factor-resets/:resetId/stop',
    {
      onRequest: requireAdminStepUp(),
      schema: {
        operationId: 'stopFactorReset',
        tags,
        summary: 'Stop the removal of second factors',
        params: FactorResetParams,
        response: { 200: FactorResetBody },
      },
    },
    async (request) =>
      toFactorResetBody(await stopFactorReset(auth, callerOf(auth, request), checkedId(request.params.resetId))),
  )
}

/** Adds the route of the link that the user gets by mail. */
export function stopFactorResetRoute(app: App, auth: RouteDeps): void {
  app.post(
    '/api/auth/factor-reset/stop',
    {
      onRequest: anonymousRoute,
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'stopOwnFactorReset',
        problems: [authProblems.invalid_token],
        tags: ['Sign-in'],
        summary: 'Stop the removal of the own second factors',
        description: 'Takes the token from the mail that announces the removal.',
        body: Type.Object({ token: MailedToken }, Closed),
        response: { 200: Type.Object({ status: Type.Literal('stopped') }, Closed) },
      },
    },
    async (request) => {
      await stopByToken(auth, clientOf(auth, request), request.body.token)
      return { status: 'stopped' as const }
    },
  )
}

function checkedId(id: string): string {
  if (!isId('factorReset', id)) throw authProblems.factor_reset_not_found()
  return id
}
