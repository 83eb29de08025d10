import { anonymousRoute } from '../../platform/http/core/guard.ts'
import type { App } from '../../platform/http/server.ts'
import { callerOf, clientOf } from '../http/caller-of.ts'
import { requireSession } from '../http/guards.ts'
import { SessionQuery } from '../http/session-cookie.ts'
import { ChallengeAnswer } from '../mfa/verification/schemas.ts'
import { authProblems, COOKIE_PROBLEMS, codeProblems, SMS_PROBLEMS } from '../problems.ts'
import { type RefreshDeps, refreshSession } from '../sessions/refresh-session.ts'
import { LoginBody, RefreshBody, SignInBody, StepUpAnswer, TokenBody } from '../sessions/schemas.ts'
import { type LogInDeps, logIn } from './log-in.ts'
import { type PresentDeps, presentSignIn, tokensFor } from './present-sign-in.ts'
import { SecondFactorChallenge, SecondFactorInput, StepUpBody, StepUpChallenge } from './schemas.ts'
import { challengeSecondFactor, completeWithSecondFactor, type SecondFactorDeps } from './second-factor.ts'
import { challengeStepUp, type StepUpDeps, stepUp } from './step-up.ts'

type RoutesDeps = LogInDeps & SecondFactorDeps & StepUpDeps & RefreshDeps & PresentDeps

export function signInRoutes(app: App, auth: RoutesDeps): void {
  app.post(
    '/api/auth/login',
    {
      onRequest: anonymousRoute,
      config: { countedAs: 'signIn', worksWhenDiskIsFull: 'to_quarter' },
      schema: {
        operationId: 'login',
        problems: [
          ...COOKIE_PROBLEMS,
          authProblems.invalid_credentials,
          authProblems.email_not_verified,
          authProblems.login_blocked,
          authProblems.sign_in_busy,
        ],
        tags: ['Sign-in'],
        summary: 'Sign in with email address and password',
        description:
          'Returns tokens, or `mfa_required` with a challenge if the account has a second factor. Unknown email address and wrong password have the same response, 401 `invalid_credentials`. An account whose email address is not verified gets its mail again.',
        body: LoginBody,
        querystring: SessionQuery,
        response: { 200: SignInBody },
      },
    },
    async (request, reply) => {
      return presentSignIn(auth, reply, await logIn(auth, clientOf(auth, request), request.body))
    },
  )

  app.post(
    '/api/auth/refresh',
    {
      onRequest: anonymousRoute,
      config: { countedAs: 'refresh', worksWhenDiskIsFull: true },
      schema: {
        operationId: 'refresh',
        problems: [...COOKIE_PROBLEMS, authProblems.invalid_refresh_token],
        tags: ['Sign-in'],
        summary: 'Get a new access token',
        description:
          'Replaces the refresh token. The request can be repeated for 10 seconds: the same token then gives the same new token. Later use of a replaced token ends the session, because the token may have been copied. With `session=cookie`, the cookie contains the refresh token, and the body is left out.',
        body: RefreshBody,
        querystring: SessionQuery,
        response: { 200: TokenBody },
      },
    },
    async (request, reply) =>
      tokensFor(auth, reply, await refreshSession(auth, clientOf(auth, request), request.body.refreshToken)),
  )

  secondFactorRoutes(app, auth)
  stepUpRoutes(app, auth)
}

function secondFactorRoutes(app: App, auth: RoutesDeps): void {
  app.post(
    '/api/auth/mfa/challenge',
    {
      onRequest: anonymousRoute,
      config: { countedAs: 'signIn', worksWhenDiskIsFull: 'to_quarter' },
      schema: {
        operationId: 'challengeSecondFactor',
        problems: [
          authProblems.invalid_mfa_token,
          authProblems.method_not_enabled,
          ...SMS_PROBLEMS,
          authProblems.login_blocked,
        ],
        tags: ['Sign-in'],
        summary: 'Send a code or get the options of a passkey, for a sign-in',
        description: 'For a sign-in with the response `mfa_required`.',
        body: SecondFactorChallenge,
        response: { 200: ChallengeAnswer },
      },
    },
    async (request) => challengeSecondFactor(auth, clientOf(auth, request), request.body),
  )

  app.post(
    '/api/auth/mfa/verify',
    {
      onRequest: anonymousRoute,
      config: { countedAs: 'signIn', worksWhenDiskIsFull: 'to_quarter' },
      schema: {
        operationId: 'verifySecondFactor',
        problems: [
          ...COOKIE_PROBLEMS,
          authProblems.invalid_mfa_token,
          authProblems.invalid_code,
          authProblems.method_not_enabled,
          authProblems.login_blocked,
        ],
        tags: ['Sign-in'],
        summary: 'Complete a sign-in with the second factor',
        description: 'A code works once. A recovery code also works once, and replaces any factor.',
        body: SecondFactorInput,
        querystring: SessionQuery,
        response: { 200: SignInBody },
      },
    },
    async (request, reply) => {
      const { mfaToken, ...input } = request.body
      return presentSignIn(auth, reply, await completeWithSecondFactor(auth, clientOf(auth, request), mfaToken, input))
    },
  )
}

function stepUpRoutes(app: App, auth: RoutesDeps): void {
  app.post(
    '/api/auth/step-up',
    {
      onRequest: requireSession(),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'stepUp',
        problems: [
          codeProblems.invalid_code,
          authProblems.current_password_wrong,
          authProblems.method_not_enabled,
          authProblems.login_blocked,
          authProblems.sign_in_busy,
        ],
        tags: ['Sign-in'],
        summary: 'Authenticate again before a sensitive operation',
        description:
          'With the second factor of the account; without one, with the password. Accounts without either use `POST /api/auth/identities/{provider}/step-up`.',
        body: StepUpBody,
        response: { 200: StepUpAnswer },
      },
    },
    async (request) => stepUp(auth, callerOf(auth, request), request.body),
  )

  app.post(
    '/api/auth/step-up/challenge',
    {
      onRequest: requireSession(),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'challengeStepUp',
        problems: [authProblems.method_not_enabled, ...SMS_PROBLEMS, authProblems.login_blocked],
        tags: ['Sign-in'],
        summary: 'Send a code or get the options of a passkey, for a step-up',
        description:
          'Call it before `POST /api/auth/step-up` with a text message or a passkey. Other methods need no challenge.',
        body: StepUpChallenge,
        response: { 200: ChallengeAnswer },
      },
    },
    async (request) => challengeStepUp(auth, callerOf(auth, request), request.body.method),
  )
}
