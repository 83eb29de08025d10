import type { Role, StaffRole } from '../../platform/http/core/principal.ts'
import { GUEST_PERMISSIONS, permissionsOf } from '../access/permissions.ts'
import { type ApiTokenDeps, createApiTokens, type ReadApiToken } from '../keys/api-tokens.ts'
import type { User } from '../users/store.ts'
import type { Session } from './store.ts'

const TYPE = 'at+jwt'
const ROLES: readonly string[] = ['customer', 'operator', 'admin'] satisfies Role[]

export interface AccessTokenContent {
  sessionId: string
  userId: string
  role: Role
  /** Undefined in the token of a release that knew no staff roles. */
  staffRole: StaffRole | null | undefined
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
  issue(session: Session, user: Pick<User, 'id' | 'role' | 'staffRole' | 'kind'>): Promise<IssuedAccessToken>
  /** Returns the content of a valid token. It does not check whether the session is still open. */
  read(token: string): Promise<ReadAccessToken | undefined>
}

export interface ReadAccessToken extends AccessTokenContent {
  /** Name of the key that signed the token. */
  kid: string
  expiresAtMs: number
}

export interface AccessTokenDeps extends ApiTokenDeps {
  accessSeconds: number
}

export function createAccessTokens(deps: AccessTokenDeps): AccessTokens {
  const tokens = createApiTokens(deps, TYPE)
  return {
    issue: async (session, { id: userId, role, staffRole, kind }) => {
      const isGuest = kind !== 'account'
      const now = seconds(deps.clock.now())
      const expiresIn = Math.min(deps.accessSeconds, seconds(session.expiresAt) - now)
      const claims = {
        sid: session.id,
        auth_time: seconds(session.authenticatedAt),
        amr: session.authenticationMethods,
        role,
        ...(role === 'operator' ? { staff_role: staffRole } : {}),
        scope: [...(isGuest ? GUEST_PERMISSIONS : permissionsOf({ role, staffRole }))].join(' '),
        client_id: 'platen',
        ...(isGuest ? { guest: true } : {}),
      }
      return { accessToken: await tokens.sign(userId, claims, { now, expiresAt: now + expiresIn }), expiresIn }
    },
    read: async (token) => {
      const read = await tokens.verify(token, ['sub', 'jti', 'iat', 'exp', 'sid', 'auth_time'])
      return read && toContent(read)
    },
  }
}

function toContent({ payload, kid }: ReadApiToken): ReadAccessToken | undefined {
  const { sub, sid, role, exp, auth_time, amr, guest, staff_role: staffRole } = payload
  if (typeof sub !== 'string' || typeof sid !== 'string' || typeof exp !== 'number') return undefined
  if (typeof auth_time !== 'number' || typeof role !== 'string' || !ROLES.includes(role)) return undefined
  return {
    kid,
    sessionId: sid,
    userId: sub,
    role: role as Role,
    staffRole: role === 'operator' ? (staffRole as StaffRole | null | undefined) : null,
    isGuest: guest === true,
    authenticatedAt: new Date(auth_time * 1000),
    methods: Array.isArray(amr) ? amr.map(String) : [],
    expiresAtMs: exp * 1000,
  }
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}
