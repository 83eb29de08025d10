import { hash } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { LRUCache } from 'lru-cache'
import { type Awaitable, andThen } from '../../platform/awaitable.ts'
import { runForAll } from '../../platform/concurrency/request-context.ts'
import { createKeyedSemaphore } from '../../platform/concurrency/semaphore.ts'
import { addressKey } from '../../platform/http/core/client-address.ts'
import type { Principal } from '../../platform/http/core/principal.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import type { LimitedLookUp } from '../../platform/http/rate-limit.ts'
import {
  type AccountRole,
  CUSTOMER_PERMISSIONS,
  effectivePermissions,
  GUEST_PERMISSIONS,
  permissionsOf,
} from '../access/permissions.ts'
import type { SessionPrincipal } from '../access/session-principal.ts'
import { createKeyAuthenticator, type KeyDeps } from '../api-keys/authenticate-key.ts'
import { KEY_PREFIX } from '../api-keys/key-format.ts'
import type { Client } from '../caller.ts'
import { CUSTOMER_TOKEN_TYPE, type CustomerTokens, type ReadCustomerToken } from '../customers/customer-token.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { AccessTokenContent, AccessTokens } from '../sessions/access-token.ts'
import { customerIdOf } from '../users/customer-id.ts'
import { findSessionRole, findTokenIssuer, type TokenIssuer } from './store.ts'

const CACHED_TOKENS = 10_000

/** Tokens of one IP address that are verified at the same time, and that wait for it. */
const VERIFIED_AT_ONCE = 4
const MAX_WAITING_TOKENS = {
  max: 64,
  whenFull: () => httpProblems.rate_limited({ headers: { 'Retry-After': '1' } }),
}

export interface AuthenticatorDeps extends KeyDeps {
  tokens: AccessTokens
  customerTokens: CustomerTokens
  signingKeys: SigningKeys
  stepUpSeconds: number
}

export interface Authenticator {
  /**
   * Finds the owner of a credential. Returns undefined if the credential is malformed, expired or revoked.
   *
   * @param readClient called for credentials that are not cached, and for those that are refused
   * @param lookUp limits queries and verifications for credentials that are not cached; without it, they are not limited
   * @throws if the database is needed and is unavailable; also the errors that `lookUp` throws
   */
  authenticate(credential: string, readClient: () => Client, lookUp?: LimitedLookUp): Awaitable<Principal | undefined>
  close(): Promise<void>
}

interface SeenToken {
  expiresAtMs: number
  /** Name of the key that signed the token. */
  kid: string
  principal: Principal
  /** Ids whose change or end may end the token. Undefined if the token alone does not tell what its holder may do. */
  dependsOn: readonly string[] | undefined
  /** Reads the principal again, after one of these ids changed. */
  revalidate(): Promise<Principal | undefined>
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { pool, clock, tokens, customerTokens, signingKeys, revocations } = deps
  // Verifying a signature is the most expensive part of a read, and its result never changes. The keys of the cache are
  // hashes, because tokens are secrets and need more memory.
  const seen = new LRUCache<string, SeenToken>({ max: CACHED_TOKENS })
  const keys = createKeyAuthenticator(deps)

  const readAccessToken = async (token: string): Promise<SeenToken | undefined> => {
    const content = await tokens.read(token)
    if (content === undefined) return undefined
    const principal = toPrincipal(content, deps)
    const revalidate = async () => {
      const role = await findSessionRole(pool, content.sessionId)
      return role === undefined ? undefined : withRole(principal, role)
    }
    // A release that knows no staff roles issues tokens without one to restricted operators too.
    const dependsOn = content.staffRole === undefined ? undefined : [content.sessionId, content.userId]
    return { expiresAtMs: content.expiresAtMs, kid: content.kid, principal, dependsOn, revalidate }
  }

  const readCustomerToken = async (token: string): Promise<SeenToken | undefined> => {
    const content = await customerTokens.read(token)
    if (content === undefined) return undefined
    const principal = customerPrincipal(content)
    const revalidate = async () => {
      const issuer = await findTokenIssuer(pool, { ...content, now: clock.now() })
      return issuer && withinIssuer(principal, issuer)
    }
    const dependsOn = [content.userId, content.issuerId, content.credentialId]
    return { expiresAtMs: content.expiresAtMs, kid: content.kid, principal, dependsOn, revalidate }
  }

  const read = async (token: string, digest: string): Promise<SeenToken | undefined> => {
    const found = await (isCustomerToken(token) ? readCustomerToken(token) : readAccessToken(token))
    if (found !== undefined) seen.set(digest, found)
    return found
  }

  const verifications = createKeyedSemaphore(MAX_WAITING_TOKENS)
  const reading = new Map<string, Promise<SeenToken | undefined>>()
  /** Requests with the same token share its verification. Those with invented tokens wait for others of their address. */
  const readLimited = (token: string, digest: string, client: Client, lookUp: LimitedLookUp) => {
    const started = reading.get(digest)
    if (started !== undefined) return started
    // Runs outside of the first request. If its client disconnects while the verification waits, the others need it.
    const verify = () =>
      runForAll(() => verifications.run(addressKey(client.ip), VERIFIED_AT_ONCE, () => read(token, digest)))
    const result = lookUp(verify).finally(() => reading.delete(digest))
    reading.set(digest, result)
    return result
  }

  const findToken = (
    token: string,
    readClient: () => Client,
    lookUp: LimitedLookUp | undefined,
  ): Awaitable<SeenToken | undefined> => {
    const digest = hash('sha256', token, 'base64url')
    const cached = seen.get(digest)
    if (cached !== undefined) return cached
    // An expired token is an everyday case, and does not count as invented.
    if (!isInTime(token, clock.now())) return undefined
    return lookUp === undefined ? read(token, digest) : readLimited(token, digest, readClient(), lookUp)
  }

  const principalOfToken = (known: SeenToken | undefined): Awaitable<Principal | undefined> => {
    if (known === undefined || known.expiresAtMs <= clock.now().getTime()) return undefined
    const { principal, kid, dependsOn } = known
    // The cached signature stays valid, but its key may have been revoked since.
    if (signingKeys.find('access_token', kid) === undefined) return undefined
    return dependsOn === undefined || revocations.mustRevalidate(...dependsOn) ? known.revalidate() : principal
  }

  return {
    authenticate: (credential, readClient, lookUp) => {
      if (credential.startsWith(KEY_PREFIX)) {
        return keys.authenticate(credential, readClient(), lookUp ?? ((find) => find()))
      }
      return andThen(signingKeys.isFresh() ? undefined : signingKeys.refresh(), () =>
        andThen(findToken(credential, readClient, lookUp), principalOfToken),
      )
    },
    close: keys.close,
  }
}

/** Tells whether a token, if it is genuine, has not expired. */
function isInTime(token: string, now: Date): boolean {
  try {
    return (decodeJwt(token).exp ?? 0) * 1000 > now.getTime()
  } catch {
    return false
  }
}

function isCustomerToken(token: string): boolean {
  try {
    return decodeProtectedHeader(token).typ === CUSTOMER_TOKEN_TYPE
  } catch {
    return false
  }
}

/** All tokens of a customer share one rate limit, because a shop may issue one for each page. */
function customerPrincipal({ userId, permissions, designId }: ReadCustomerToken): Principal {
  const allowed: ReadonlySet<string> = CUSTOMER_PERMISSIONS
  return {
    kind: 'customer_token',
    userId,
    role: 'customer',
    staffRole: null,
    credentialId: customerIdOf(userId),
    permissions: new Set(permissions.filter((permission) => allowed.has(permission))),
    ...(designId === undefined ? {} : { designId }),
  }
}

function toPrincipal(content: AccessTokenContent, deps: AuthenticatorDeps): SessionPrincipal | Principal {
  const { userId, sessionId: credentialId, isGuest, role, staffRole = null } = content
  const common = { userId, credentialId }
  if (isGuest) return { ...common, kind: 'guest', role: 'customer', staffRole: null, permissions: GUEST_PERMISSIONS }
  const { stepUpSeconds, clock } = deps
  const recentUntil = content.authenticatedAt.getTime() + stepUpSeconds * 1000
  return {
    ...common,
    kind: 'session',
    role,
    staffRole,
    permissions: permissionsOf({ role, staffRole }),
    authenticatedAt: content.authenticatedAt,
    authenticationMethods: content.methods,
    stepUp: { maxAge: stepUpSeconds, isRecent: () => clock.now().getTime() <= recentUntil },
  }
}

/** Applies a changed role at once instead of with the next token. */
function withRole(principal: Principal, { role, staffRole }: AccountRole): Principal {
  if (principal.kind === 'guest') return principal
  return { ...principal, role, staffRole, permissions: permissionsOf({ role, staffRole }) }
}

/** Takes from a customer token what its issuer may no longer do. Without `customers:write`, the token ends. */
function withinIssuer(principal: Principal, issuer: TokenIssuer): Principal | undefined {
  const { grants } = issuer
  const held: ReadonlySet<string> = grants === null ? permissionsOf(issuer) : effectivePermissions(grants, issuer)
  if (!held.has('customers:write')) return undefined
  return { ...principal, permissions: new Set([...principal.permissions].filter((one) => held.has(one))) }
}
