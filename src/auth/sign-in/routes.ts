import { publicRoute } from '../../platform/http/guard.ts'
import type { App } from '../../platform/http/server.ts'
import { requireSession } from '../access/guards.ts'
import type { AuthContext } from '../context.ts'
import { type RefreshedSession, refreshSession } from '../sessions/refresh-session.ts'
import { LoginBody, RefreshBody, StepUpAnswer, StepUpBody, TokenBody, toTokenBody } from '../sessions/schemas.ts'
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
        response: { 200: TokenBody },
      },
    },
    async (request, reply) => {
      const signedIn = await logIn(auth, request, request.body)
      reply.header('Set-Cookie', signedIn.deviceCookie)
      return tokensFor(auth, signedIn)
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

async function tokensFor(auth: AuthContext, { session, user, refreshToken }: RefreshedSession) {
  const issued = await auth.tokens.issue({
    sessionId: session.id,
    userId: user.id,
    role: user.role,
    authenticatedAt: session.authenticatedAt,
    methods: session.authenticationMethods,
    sessionExpiresAt: session.expiresAt,
  })
  return toTokenBody(issued, refreshToken)
}
