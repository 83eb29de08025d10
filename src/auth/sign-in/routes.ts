import { publicRoute } from '../../platform/http/guard.ts'
import type { App } from '../../platform/http/server.ts'
import { requireSession } from '../access/guards.ts'
import type { AuthContext } from '../context.ts'
import { refreshSession } from '../sessions/refresh-session.ts'
import { LoginBody, RefreshBody, SignInBody, StepUpAnswer, StepUpBody, TokenBody } from '../sessions/schemas.ts'
import { answerEntered, tokensFor } from './answers.ts'
import { logIn } from './log-in.ts'
import { stepUp } from './step-up.ts'

/** Ways to tokens. */
export function signInRoutes(app: App, auth: AuthContext): void {
  app.post(
    '/api/auth/login',
    {
      onRequest: publicRoute,
      schema: {
        operationId: 'login',
        tags: ['Sign-in'],
        summary: 'Sign in with e-mail address and password',
        body: LoginBody,
        response: { 200: SignInBody },
      },
    },
    async (request, reply) => {
      return answerEntered(auth, reply, await logIn(auth, request, request.body))
    },
  )

  app.post(
    '/api/auth/refresh',
    {
      onRequest: publicRoute,
      schema: {
        operationId: 'refresh',
        tags: ['Sign-in'],
        summary: 'Get a new access token',
        description:
          'Replaces the refresh token. Safe to repeat for 10 seconds: the same token then gives the same new one. ' +
          'Used later, it ends the session, since it can only have been copied.',
        body: RefreshBody,
        response: { 200: TokenBody },
      },
    },
    async (request) => tokensFor(auth, await refreshSession(auth, request.body.refreshToken)),
  )

  app.post(
    '/api/auth/step-up',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'stepUp',
        tags: ['Sign-in'],
        summary: 'Prove who you are again, before a sensitive act',
        body: StepUpBody,
        response: { 200: StepUpAnswer },
      },
    },
    async (request) => stepUp(auth, request, request.body.password),
  )
}
