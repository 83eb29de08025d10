import { Type } from 'typebox'
import { anonymousRoute } from '../../platform/http/core/guard.ts'
import type { App } from '../../platform/http/server.ts'
import { callerOf, clientOf } from '../http/caller-of.ts'
import { setDeviceCookie } from '../http/cookies.ts'
import { requireStepUp, sessionOf } from '../http/guards.ts'
import { authProblems } from '../problems.ts'
import { Closed, EmailAddress, MailedToken, NoContent, Password } from '../schemas.ts'
import type { DeviceCookies } from '../throttle/device-cookies.ts'
import { type ChangePasswordDeps, changePassword } from './change-password.ts'
import { type ResetDeps, requestReset, resetPassword } from './reset-password.ts'
export function passwordRoutes(app: App, auth: ChangePasswordDeps & ResetDeps & { devices: DeviceCookies }): void {
  app.post(
    '/api/auth/password/forgot',
    {
      onRequest: anonymousRoute,
      // Each request adds rows, also for unknown email addresses, and anyone can send any number of them.
      config: { worksWhenDiskIsFull: 'to_half' },
      schema: {
        operationId: 'forgotPassword',
        tags: ['Sign-in'],
        summary: 'Request a mail to set a new password',
        description: 'The response does not reveal whether the email address has an account.',
        body: Type.Object({ email: EmailAddress }, Closed),
        response: { 202: Type.Object({ status: Type.Literal('accepted') }, Closed) },
      },
    },
    async (request, reply) => {
      await requestReset(auth, clientOf(auth, request), request.body.email)
      return reply.code(202).send({ status: 'accepted' as const })
    },
  )

  app.post(
    '/api/auth/password/reset',
    {
      onRequest: anonymousRoute,
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'resetPassword',
        problems: [authProblems.invalid_token, authProblems.password_rejected, authProblems.sign_in_busy],
        tags: ['Sign-in'],
        summary: 'Set a new password with the token from the mail',
        description:
          'Opens no session, and ends every session of the account. With the cookie of the response, the next sign-in does not wait for blocks that other clients cause.',
        body: Type.Object({ token: MailedToken, newPassword: Password }, Closed),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const user = await resetPassword(auth, clientOf(auth, request), request.body)
      reply.header('Set-Cookie', setDeviceCookie(auth, request, auth.devices.makeForReset(user)))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/api/auth/password/change',
    {
      onRequest: requireStepUp(),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'changePassword',
        problems: [
          authProblems.current_password_wrong,
          authProblems.password_rejected,
          authProblems.login_blocked,
          authProblems.sign_in_busy,
        ],
        tags: ['Account'],
        summary: 'Change the password',
        description: 'Ends the other sessions.',
        body: Type.Object({ currentPassword: Password, newPassword: Password }, Closed),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await changePassword(auth, callerOf(auth, request), request.body)
      // A new password makes the account forget all known devices. This cookie makes the device of the caller known
      // again.
      reply.header('Set-Cookie', setDeviceCookie(auth, request, auth.devices.make({ id: sessionOf(request).userId })))
      return reply.code(204).send(null)
    },
  )
}
