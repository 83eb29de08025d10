import { Type } from 'typebox'
import { anonymousRoute } from '../../../platform/http/core/guard.ts'
import type { App } from '../../../platform/http/server.ts'
import { clientOf } from '../../http/caller-of.ts'
import { authProblems } from '../../problems.ts'
import { Closed, EmailAddress, MailedToken } from '../../schemas.ts'
import type { AccountChangeDeps } from '../../sessions/end-sessions.ts'
import { RegisterBody } from '../schemas.ts'
import { type RegisterDeps, register } from './register.ts'
import { resendVerification, verifyEmail } from './verification.ts'

const VerificationRequired = Type.Object({ status: Type.Literal('verification_required') }, Closed)

export function registrationRoutes(app: App, auth: RegisterDeps & AccountChangeDeps): void {
  app.post(
    '/api/auth/register',
    {
      onRequest: anonymousRoute,
      schema: {
        operationId: 'register',
        problems: [authProblems.registration_closed, authProblems.password_rejected, authProblems.sign_in_busy],
        tags: ['Sign-in'],
        summary: 'Register an account',
        description: 'If the email address has an account, the response is the same, and its owner gets a mail.',
        body: RegisterBody,
        response: { 202: VerificationRequired },
      },
    },
    async (request, reply) => {
      await register(auth, clientOf(auth, request), request.body)
      return reply.code(202).send({ status: 'verification_required' as const })
    },
  )

  app.post(
    '/api/auth/email/verify',
    {
      onRequest: anonymousRoute,
      schema: {
        operationId: 'verifyEmail',
        problems: [authProblems.invalid_token],
        tags: ['Sign-in'],
        summary: 'Verify an email address',
        description: 'Takes the token from the mail. The account can sign in from now on; no session is opened.',
        body: Type.Object({ token: MailedToken }, Closed),
        response: { 200: Type.Object({ status: Type.Literal('verified') }, Closed) },
      },
    },
    async (request) => {
      await verifyEmail(auth, clientOf(auth, request), request.body.token)
      return { status: 'verified' as const }
    },
  )

  app.post(
    '/api/auth/email/resend',
    {
      onRequest: anonymousRoute,
      schema: {
        operationId: 'resendVerification',
        tags: ['Sign-in'],
        summary: 'Resend the verification mail',
        description: 'The response does not reveal whether an account awaits verification.',
        body: Type.Object({ email: EmailAddress }, Closed),
        response: { 202: VerificationRequired },
      },
    },
    async (request, reply) => {
      await resendVerification(auth, request.body.email)
      return reply.code(202).send({ status: 'verification_required' as const })
    },
  )
}
