import { randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../../platform/clock.ts'
import type { Role } from '../../platform/http/core/principal.ts'
import { GUEST_PERMISSIONS, permissionsOfRole } from '../access/permissions.ts'
import { SIGNATURE_ALGORITHM } from '../keys/key-material.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { User } from '../users/store.ts'
import type { Session } from './store.ts'

const TYPE = 'at+jwt'
const ROLES: readonly string[] = ['customer', 'operator', 'admin'] satisfies Role[]

export interface AccessTokenContent {
  sessionId: string
  userId: string
  role: Role
  /** Whether the session has no account. */
  isGuest: boolean
  authenticatedAt: Date
  /** The `amr` claim of the token (RFC 8176). */
  methods: readonly string[]
}

export interface IssuedAccessToken {
  accessToken: string
  /** Lifetime in seconds. */
  expiresIn: number
}

export interface AccessTokens {
  /** Signs a JWT of RFC 9068. It never outlives its session. */
  issue(session: Session, user: Pick<User, 'id' | 'role' | 'kind'>): Promise<IssuedAccessToken>
  /** Returns the content of a valid token. It does not check whether the session is still open. */
  read(token: string): Promise<ReadAccessToken | undefined>
}

export interface ReadAccessToken extends AccessTokenContent {
  /** Name of the key that signed the token. */
  kid: string
  expiresAtMs: number
}

export interface AccessTokenDeps {
  keys: SigningKeys
  clock: Clock
  /** Origin of the service. It is the issuer of the tokens; their audience is the base URL of the API. */
  origin: string
  accessSeconds: number
}

export function createAccessTokens({ keys, clock, origin, accessSeconds }: AccessTokenDeps): AccessTokens {
  const audience = `${origin}/v1`
  return {
    issue: async (session, { id: userId, role, kind }) => {
      const isGuest = kind !== 'account'
      const now = seconds(clock.now())
      const expiresIn = Math.min(accessSeconds, seconds(session.expiresAt) - now)
      await keys.refresh()
      const { kid, privateKey } = keys.current('access_token')
      const claims = {
        sid: session.id,
        auth_time: seconds(session.authenticatedAt),
        amr: session.authenticationMethods,
        role,
        scope: [...(isGuest ? GUEST_PERMISSIONS : permissionsOfRole(role))].join(' '),
        client_id: 'platen',
        ...(isGuest ? { guest: true } : {}),
      }
      const accessToken = await new SignJWT(claims)
        .setProtectedHeader({ alg: SIGNATURE_ALGORITHM, typ: TYPE, kid })
        .setIssuer(origin)
        .setAudience(audience)
        .setSubject(userId)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + expiresIn)
        .sign(privateKey)
      return { accessToken, expiresIn }
    },
    read: async (token) => {
      try {
        const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => findKey(keys, kid), {
          algorithms: [SIGNATURE_ALGORITHM],
          typ: TYPE,
          issuer: origin,
          audience,
          currentDate: clock.now(),
          clockTolerance: 0,
          requiredClaims: ['sub', 'jti', 'iat', 'exp', 'sid', 'auth_time'],
        })
        return toContent(payload, protectedHeader.kid)
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}

/**
 * Finds the key that a token names. Only keys of the service are accepted. Keys and URLs in the header of the token are
 * ignored.
 */
async function findKey(keys: SigningKeys, kid: string | undefined) {
  const key = kid === undefined ? undefined : await keys.seek('access_token', kid)
  if (key === undefined) throw new errors.JWKSNoMatchingKey()
  return key
}

function toContent(payload: Record<string, unknown>, kid: string | undefined): ReadAccessToken | undefined {
  const { sub, sid, role, exp, auth_time, amr, guest } = payload
  if (typeof sub !== 'string' || typeof sid !== 'string' || typeof exp !== 'number') return undefined
  if (kid === undefined || typeof auth_time !== 'number' || typeof role !== 'string' || !ROLES.includes(role))
    return undefined
  return {
    kid,
    sessionId: sid,
    userId: sub,
    role: role as Role,
    isGuest: guest === true,
    authenticatedAt: new Date(auth_time * 1000),
    methods: Array.isArray(amr) ? amr.map(String) : [],
    expiresAtMs: exp * 1000,
  }
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}
