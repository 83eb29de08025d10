import { Type } from 'typebox'
import { anonymousRoute } from '../../../platform/http/core/guard.ts'
import type { App } from '../../../platform/http/server.ts'
import { callerOf, clientOf } from '../../http/caller-of.ts'
import { requireStepUp } from '../../http/guards.ts'
import { authProblems } from '../../problems.ts'
import { Closed, EmailAddress, MailedToken } from '../../schemas.ts'
import type { AccountChangeDeps } from '../../sessions/end-sessions.ts'
import { confirmEmailChange } from './confirm-change.ts'
import { requestEmailChange } from './request-change.ts'
export function emailChangeRoutes(app: App, auth: AccountChangeDeps): void {
  app.post(
    '/api/auth/email/change',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'changeEmail',
        problems: [authProblems.email_unchanged],
        tags: ['Account'],
        summary: 'Request a change of the email address',
        description:
          'The current email address stays valid until the user opens the link in the mail to the new one. The response does not reveal whether the new email address has an account.',
        body: Type.Object({ newEmail: EmailAddress }, Closed),
        response: { 202: Type.Object({ status: Type.Literal('confirmation_required') }, Closed) },
      },
    },
    async (request, reply) => {
      await requestEmailChange(auth, callerOf(auth, request), request.body.newEmail)
      return reply.code(202).send({ status: 'confirmation_required' as const })
    },
  )

  app.post(
    '/api/auth/email/confirm',
    {
      onRequest: anonymousRoute,
      schema: {
        operationId: 'confirmEmail',
        problems: [authProblems.invalid_token, authProblems.email_taken],
        tags: ['Account'],
        summary: 'Confirm a new email address',
        description:
          'Takes the token from the mail. Opens no session, and ends the sessions of the account except the one that requested the change.',
        body: Type.Object({ token: MailedToken }, Closed),
        response: { 200: Type.Object({ status: Type.Literal('confirmed') }, Closed) },
      },
    },
    async (request) => {
      await confirmEmailChange(auth, clientOf(auth, request), request.body.token)
      return { status: 'confirmed' as const }
    },
  )
}
