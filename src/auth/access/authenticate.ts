import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Principal, Role } from '../../platform/http/principal.ts'
import { createKeyAuthenticator, type KeyDeps } from '../api-keys/authenticate-key.ts'
import { KEY_PREFIX } from '../api-keys/key-format.ts'
import type { AccessTokenContent, AccessTokens } from './access-token.ts'
import { bearerOf } from './bearer.ts'
import type { SessionPrincipal } from './session-principal.ts'
import { findSessionRole } from './store.ts'

const CACHED_TOKENS = 10_000

export interface AuthenticatorDeps extends KeyDeps {
  tokens: AccessTokens
  stepUpSeconds: number
}

export interface Authenticator {
  /**
   * Finds out who is calling. A missing, malformed, expired or revoked credential means nobody: the guards answer it.
   *
   * @throws only when the database is needed and cannot be reached
   */
  authenticate(request: FastifyRequest): Promise<Principal | undefined>
  /** Waits for what is still being noted about the keys that were used. */
  close(): Promise<void>
}

interface SeenToken {
  content: AccessTokenContent & { expiresAtMs: number }
  principal: SessionPrincipal
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { pool, clock, tokens, watch } = deps
  // Checking a signature costs more than all else on a read, and its result never changes.
  const seen = new LRUCache<string, SeenToken>({ max: CACHED_TOKENS })
  const keys = createKeyAuthenticator(deps)

  const read = async (token: string): Promise<SeenToken | undefined> => {
    const content = await tokens.read(token)
    if (content === undefined) return undefined
    const found = { content, principal: toPrincipal(content, deps) }
    seen.set(token, found)
    return found
  }

  const authenticateToken = async (token: string): Promise<Principal | undefined> => {
    const known = seen.get(token) ?? (await read(token))
    if (known === undefined || known.content.expiresAtMs <= clock.now().getTime()) return undefined
    const { content, principal } = known
    if (!watch.mustAsk(content.sessionId, content.userId)) return principal
    const role = await findSessionRole(pool, content.sessionId)
    return role === undefined ? undefined : withRole(principal, role)
  }

  return {
    authenticate: async (request) => {
      const credential = bearerOf(request)
      if (credential === undefined) return undefined
      return credential.startsWith(KEY_PREFIX) ? keys.authenticate(credential) : authenticateToken(credential)
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

/** A role that was changed holds at once, not only in the next token. */
function withRole(principal: SessionPrincipal, role: Role): SessionPrincipal {
  return role === principal.role ? principal : { ...principal, role }
}
