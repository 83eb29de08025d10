import type { Config } from '../../config/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { type CookieSettings, setDeviceCookie } from '../http/cookies.ts'
import { type CookieReply, setSessionCookie, wantsCookie } from '../http/session-cookie.ts'
import type { AccessTokens } from '../sessions/access-token.ts'
import type { RefreshedSession } from '../sessions/refresh-session.ts'
import { type SignInBody, type TokenBody, toTokenBody } from '../sessions/schemas.ts'
import { PENDING_SIGN_IN_SECONDS, type SignInResult } from './complete-sign-in.ts'

export type PresentDeps = CookieSettings & { tokens: AccessTokens; clock: Clock; config: Pick<Config, 'tokens'> }

/** Presents a sign-in result: tokens and the device cookie, or the required second factor. */
export async function presentSignIn(auth: PresentDeps, reply: CookieReply, result: SignInResult): Promise<SignInBody> {
  if (result.status === 'authenticated') {
    reply.header('Set-Cookie', setDeviceCookie(auth, reply.request, result.deviceCookie))
    return tokensFor(auth, reply, result)
  }
  const { status, mfaToken, methods } = result
  return { status, mfaToken, expiresIn: PENDING_SIGN_IN_SECONDS, methods: methods as FactorMethod[] }
}

type FactorMethod = Extract<SignInBody, { status: 'mfa_required' }>['methods'][number]

/** Presents the tokens of a session. With `session=cookie`, the refresh token is in a cookie. */
export async function tokensFor(
  auth: PresentDeps,
  reply: CookieReply,
  { session, user, refreshToken }: RefreshedSession,
): Promise<TokenBody> {
  const status = user.kind === 'account' ? 'authenticated' : 'guest'
  const issued = await auth.tokens.issue(session, user)
  if (!wantsCookie(reply.request)) return toTokenBody(issued, refreshToken, status)
  const maxAgeSeconds = Math.floor((session.expiresAt.getTime() - auth.clock.now().getTime()) / 1000)
  const { refreshSeconds } = auth.config.tokens
  setSessionCookie(auth, reply, { refreshToken, maxAgeSeconds: Math.min(refreshSeconds, maxAgeSeconds) })
  return toTokenBody(issued, undefined, status)
}
