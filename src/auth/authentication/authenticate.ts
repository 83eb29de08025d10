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
   * Finds the owner of a credential. Returns undefined if the credential is malformed, expired or revoked.
   *
   * @param lookUp limits the queries for keys that are not cached; without it, these queries are not limited
   * @throws if the database is needed and is unavailable; also the errors that `lookUp` throws
   */
  authenticate(credential: string, client: Client, lookUp?: LimitedLookUp): Promise<Principal | undefined>
  close(): Promise<void>
}

interface SeenToken {
  expiresAtMs: number
  /** Name of the key that signed the token. */
  kid: string
  principal: SessionPrincipal
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { pool, clock, tokens, signingKeys, revocations } = deps
  // Verifying a signature is the most expensive part of a read, and the result for a token never changes. The cache
  // uses hashes of tokens as its keys, because the tokens are secret and longer.
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
    // The signature was verified earlier, but the key that made it may have been revoked since then.
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

/** Applies a changed role at once, before the client gets a new token. */
function withRole(principal: SessionPrincipal, role: Role): SessionPrincipal {
  return role === principal.role ? principal : { ...principal, role }
}
