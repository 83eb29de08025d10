import type { HttpResponse } from '../../platform/http/core/request.ts'
import { type CookieSettings, setDeviceCookie } from '../http/cookies.ts'
import type { AccessTokens } from '../sessions/access-token.ts'
import type { RefreshedSession } from '../sessions/refresh-session.ts'
import { type SignInBody, type TokenBody, toTokenBody } from '../sessions/schemas.ts'
import { PENDING_SIGN_IN_SECONDS, type SignInResult } from './complete-sign-in.ts'

export type PresentDeps = CookieSettings & { tokens: AccessTokens }

/** Presents a sign-in result: tokens and the device cookie, or the required second factor. */
export async function presentSignIn(auth: PresentDeps, reply: HttpResponse, result: SignInResult): Promise<SignInBody> {
  if (result.status === 'authenticated') {
    reply.header('Set-Cookie', setDeviceCookie(auth, result.deviceCookie))
    return tokensFor(auth, result)
  }
  const { status, mfaToken, methods } = result
  return { status, mfaToken, expiresIn: PENDING_SIGN_IN_SECONDS, methods: methods as FactorMethod[] }
}

type FactorMethod = Extract<SignInBody, { status: 'mfa_required' }>['methods'][number]

export async function tokensFor(
  auth: PresentDeps,
  { session, user, refreshToken }: RefreshedSession,
): Promise<TokenBody> {
  const status = user.kind === 'account' ? 'authenticated' : 'guest'
  return toTokenBody(await auth.tokens.issue(session, user), refreshToken, status)
}
