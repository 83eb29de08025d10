import type { Config } from '../../config.ts'
import type { HttpResponse } from '../../platform/http/request.ts'
import { setDeviceCookie } from '../http/device-cookie.ts'
import type { AccessTokens } from '../sessions/access-token.ts'
import type { RefreshedSession } from '../sessions/refresh-session.ts'
import { type SignInBody, type TokenBody, toTokenBody } from '../sessions/schemas.ts'
import { PENDING_SIGN_IN_SECONDS, type SignInResult } from './complete-sign-in.ts'

export interface AnswerDeps {
  tokens: AccessTokens
  config: Pick<Config, 'origin'>
}

/** Presents a sign-in result: tokens and the device cookie, or the second factor that is due. */
export async function presentSignIn(auth: AnswerDeps, reply: HttpResponse, result: SignInResult): Promise<SignInBody> {
  if (result.status === 'authenticated') {
    reply.header('Set-Cookie', setDeviceCookie(auth, result.deviceCookie))
    return tokensFor(auth, result)
  }
  const { status, mfaToken, methods } = result
  return { status, mfaToken, expiresIn: PENDING_SIGN_IN_SECONDS, methods: methods as FactorMethod[] }
}

type FactorMethod = Extract<SignInBody, { status: 'mfa_required' }>['methods'][number]

export async function tokensFor(
  auth: AnswerDeps,
  { session, user, refreshToken }: RefreshedSession,
): Promise<TokenBody> {
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
