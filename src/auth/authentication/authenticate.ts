import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Principal, Role } from '../../platform/http/core/principal.ts'
import type { LimitedLookUp } from '../../platform/http/rate-limit.ts'
import type { SessionPrincipal } from '../access/session-principal.ts'
import { createKeyAuthenticator, type KeyDeps } from '../api-keys/authenticate-key.ts'
import { KEY_PREFIX } from '../api-keys/key-format.ts'
import type { Client } from '../caller.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { AccessTokenContent, AccessTokens } from '../sessions/access-token.ts'
import { findSessionRole } from './store.ts'

const CACHED_TOKENS = 10_000

export interface AuthenticatorDeps extends KeyDeps {
  tokens: AccessTokens
  signingKeys: SigningKeys
  stepUpSeconds: number
}

export interface Authenticator {
  /**
   * Finds the owner of a credential; undefined if it is malformed, expired or revoked.
   *
   * @param lookUp limits the queries for keys that are not cached; without it they are unlimited
   * @throws if it needs an unavailable database, and the errors of `lookUp`
   */
  authenticate(credential: string, client: Client, lookUp?: LimitedLookUp): Promise<Principal | undefined>
  close(): Promise<void>
}

interface SeenToken {
  expiresAtMs: number
  /** Name of the signing key. */
  kid: string
  principal: SessionPrincipal
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { pool, clock, tokens, signingKeys, revocations } = deps
  // Verifying a signature is the most expensive part of a read, and its result never changes. The keys of the cache are
  // hashes, because tokens are secrets and need more memory.
  const seen = new LRUCache<string, SeenToken>({ max: CACHED_TOKENS })
  const keys = createKeyAuthenticator(deps)

  const read = async (token: string, digest: string): Promise<SeenToken | undefined> => {
    const content = await tokens.read(token)
    if (content === undefined) return undefined
    const { expiresAtMs, kid } = content
    const found = { expiresAtMs, kid, principal: toPrincipal(content, deps) }
    seen.set(digest, found)
    return found
  }

  const authenticateToken = async (token: string): Promise<Principal | undefined> => {
    if (!signingKeys.isFresh()) await signingKeys.refresh()
    const digest = hash('sha256', token, 'base64url')
    const known = seen.get(digest) ?? (await read(token, digest))
    if (known === undefined || known.expiresAtMs <= clock.now().getTime()) return undefined
    const { principal, kid } = known
    // The cached signature stays valid, but its key may have been revoked since.
    if (signingKeys.find('access_token', kid) === undefined) return undefined
    if (!revocations.mustRevalidate(principal.credentialId, principal.userId)) return principal
    const role = await findSessionRole(pool, principal.credentialId)
    return role === undefined ? undefined : withRole(principal, role)
  }

  return {
    authenticate: async (credential, client, lookUp = (find) => find()) => {
      if (!credential.startsWith(KEY_PREFIX)) return authenticateToken(credential)
      return keys.authenticate(credential, client, lookUp)
    },
    close: keys.close,
  }
}

function toPrincipal(content: AccessTokenContent, deps: AuthenticatorDeps): SessionPrincipal {
  const { stepUpSeconds, clock } = deps
  const recentUntil = content.authenticatedAt.getTime() + stepUpSeconds * 1000
  return {
    kind: 'session',
    userId: content.userId,
    role: content.role,
    credentialId: content.sessionId,
    permissions: undefined,
    authenticatedAt: content.authenticatedAt,
    authenticationMethods: content.methods,
    stepUp: { maxAge: stepUpSeconds, isRecent: () => clock.now().getTime() <= recentUntil },
  }
}

/** Applies a changed role at once instead of with the next token. */
function withRole(principal: SessionPrincipal, role: Role): SessionPrincipal {
  return role === principal.role ? principal : { ...principal, role }
}
