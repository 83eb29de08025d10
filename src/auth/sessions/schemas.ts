import { type Static, Type } from 'typebox'
import { Closed, EmailAddress, Password, Timestamp } from '../schemas.ts'
import type { IssuedAccessToken } from './access-token.ts'
import type { Session } from './store.ts'

export const LoginBody = Type.Object({ email: EmailAddress, password: Password }, Closed)
export const RefreshBody = Type.Object({ refreshToken: Type.String({ minLength: 1, maxLength: 4096 }) }, Closed)
export const SessionParams = Type.Object({ sessionId: Type.String() }, Closed)

const ExpiresIn = Type.Integer({ description: 'Lifetime of the access token in seconds.' })

export const TokenBody = Type.Object(
  {
    status: Type.Union([Type.Literal('authenticated'), Type.Literal('guest')], {
      description: '`guest` for a session without an account.',
    }),
    tokenType: Type.Literal('Bearer'),
    accessToken: Type.String({ description: 'A JWT (RFC 9068): send it as `Authorization: Bearer`.' }),
    refreshToken: Type.Optional(
      Type.String({
        description: 'Token for the next access token. Each use replaces it. Absent only with `session=cookie`.',
      }),
    ),
    expiresIn: ExpiresIn,
  },
  { ...Closed, title: 'TokenPair' },
)
export type TokenBody = Static<typeof TokenBody>

export const SecondFactorBody = Type.Object(
  {
    status: Type.Literal('mfa_required'),
    mfaToken: Type.String({
      description: 'Token for `POST /api/auth/mfa/verify`, together with the second factor. It gives no other access.',
    }),
    expiresIn: Type.Integer({ description: 'Remaining time for the second factor, in seconds.' }),
    methods: Type.Array(
      Type.Union([Type.Literal('totp'), Type.Literal('sms'), Type.Literal('webauthn'), Type.Literal('recovery_code')]),
      { description: 'Second factors of the account.' },
    ),
  },
  { ...Closed, title: 'SecondFactorRequired' },
)

/** The response to the last request of every sign-in method. */
export const SignInBody = Type.Union([TokenBody, SecondFactorBody], { title: 'SignInResult' })
export type SignInBody = Static<typeof SignInBody>

export const StepUpAnswer = Type.Object(
  { accessToken: Type.String(), expiresIn: ExpiresIn },
  { ...Closed, title: 'SteppedUpToken' },
)

export const SessionBody = Type.Object(
  {
    id: Type.String(),
    current: Type.Boolean({ description: 'Whether this is the session of the request.' }),
    ipAddress: Type.String(),
    userAgent: Type.String(),
    createdAt: Timestamp,
    lastSeenAt: Timestamp,
    expiresAt: Timestamp,
  },
  { ...Closed, title: 'Session' },
)
export type SessionBody = Static<typeof SessionBody>

/** @param refreshToken undefined: it is in a cookie */
export function toTokenBody(
  { accessToken, expiresIn }: IssuedAccessToken,
  refreshToken: string | undefined,
  status: TokenBody['status'] = 'authenticated',
): TokenBody {
  const member = refreshToken === undefined ? {} : { refreshToken }
  return { status, tokenType: 'Bearer', accessToken, ...member, expiresIn }
}

export function toSessionBody(session: Session, currentId: string): SessionBody {
  const end = Math.min(session.refreshExpiresAt.getTime(), session.expiresAt.getTime())
  return {
    id: session.id,
    current: session.id === currentId,
    ipAddress: session.ipAddress,
    userAgent: session.userAgent,
    createdAt: session.createdAt.toISOString(),
    lastSeenAt: session.lastSeenAt.toISOString(),
    expiresAt: new Date(end).toISOString(),
  }
}
