import { publicRoute } from '../../platform/http/guard.ts'
import type { App } from '../../platform/http/server.ts'
import { callerOf, clientOf } from '../http/caller-of.ts'
import { requireSession } from '../http/guards.ts'
import { ChallengeAnswer } from '../mfa/verification/schemas.ts'
import { type RefreshDeps, refreshSession } from '../sessions/refresh-session.ts'
import { LoginBody, RefreshBody, SignInBody, StepUpAnswer, TokenBody } from '../sessions/schemas.ts'
import { type LogInDeps, logIn } from './log-in.ts'
import { type PresentDeps, presentSignIn, tokensFor } from './present-sign-in.ts'
import { SecondFactorChallenge, SecondFactorInput, StepUpBody, StepUpChallenge } from './schemas.ts'
import { challengeSecondFactor, completeWithSecondFactor, type SecondFactorDeps } from './second-factor.ts'
import { challengeStepUp, type StepUpDeps, stepUp } from './step-up.ts'

type RoutesDeps = LogInDeps & SecondFactorDeps & StepUpDeps & RefreshDeps & PresentDeps

/** Sign-in with a password, refresh, second factors and step-up. */
export function signInRoutes(app: App, auth: RoutesDeps): void {
  app.post(
    '/api/auth/login',
    {
      onRequest: publicRoute,
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'login',
        tags: ['Sign-in'],
        summary: 'Sign in with e-mail address and password',
        body: LoginBody,
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
      onRequest: publicRoute,
      config: { worksWhenDiskIsFull: true },
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
    async (request) => tokensFor(auth, await refreshSession(auth, clientOf(auth, request), request.body.refreshToken)),
  )

  secondFactorRoutes(app, auth)
  stepUpRoutes(app, auth)
}

function secondFactorRoutes(app: App, auth: RoutesDeps): void {
  app.post(
    '/api/auth/mfa/challenge',
    {
      onRequest: publicRoute,
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'challengeSecondFactor',
        tags: ['Sign-in'],
        summary: 'Have a code sent, or get the options for a passkey',
        description: 'For a sign-in that was answered `mfa_required`.',
        body: SecondFactorChallenge,
        response: { 200: ChallengeAnswer },
      },
    },
    async (request) => challengeSecondFactor(auth, clientOf(auth, request), request.body),
  )

  app.post(
    '/api/auth/mfa/verify',
    {
      onRequest: publicRoute,
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'verifySecondFactor',
        tags: ['Sign-in'],
        summary: 'Complete a sign-in with the second factor',
        description: 'A code is good once; so is a recovery code, which stands in for any factor.',
        body: SecondFactorInput,
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
        tags: ['Sign-in'],
        summary: 'Prove who you are again, before a sensitive act',
        description: 'By the password; an account with a second factor needs that one.',
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
        tags: ['Sign-in'],
        summary: 'Have a code sent, or get the options for a passkey, to prove who you are again',
        body: StepUpChallenge,
        response: { 200: ChallengeAnswer },
      },
    },
    async (request) => challengeStepUp(auth, callerOf(auth, request), request.body.method),
  )
}
