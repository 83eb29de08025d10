import { type ApiTokenDeps, createApiTokens, type ReadApiToken } from '../keys/api-tokens.ts'

/** Type of the JWT, so that no other token of the service is taken for one. */
export const CUSTOMER_TOKEN_TYPE = 'customer+jwt'

export interface CustomerTokenContent {
  /** The user id of the customer. */
  userId: string
  /** The operator who issued the token. */
  issuerId: string
  /** The session or API key that the operator used. */
  credentialId: string
  permissions: readonly string[]
  designId?: string
}

export interface ReadCustomerToken extends CustomerTokenContent {
  /** Name of the signing key. */
  kid: string
  expiresAtMs: number
}

export interface CustomerTokens {
  /** Signs a token that is valid for some seconds. */
  issue(content: CustomerTokenContent, seconds: number): Promise<string>
  /** Returns the content of a valid token. It does not check whether issuer and customer still exist. */
  read(token: string): Promise<ReadCustomerToken | undefined>
}

export function createCustomerTokens(deps: ApiTokenDeps): CustomerTokens {
  const tokens = createApiTokens(deps, CUSTOMER_TOKEN_TYPE)
  return {
    issue: ({ userId, issuerId, credentialId, permissions, designId }, seconds) => {
      const now = Math.floor(deps.clock.now().getTime() / 1000)
      // `act` names who acts for the subject (RFC 8693, section 4.1).
      const claims = { act: { sub: issuerId, sid: credentialId }, scope: permissions.join(' ') }
      const all = designId === undefined ? claims : { ...claims, design: designId }
      return tokens.sign(userId, all, { now, expiresAt: now + seconds })
    },
    read: async (token) => {
      const read = await tokens.verify(token, ['sub', 'exp', 'act', 'scope'])
      return read && toContent(read)
    },
  }
}

function toContent({ payload, kid }: ReadApiToken): ReadCustomerToken | undefined {
  const { sub, exp, scope, design } = payload
  const act = payload['act'] as { sub?: unknown; sid?: unknown } | null
  if (typeof sub !== 'string' || typeof exp !== 'number' || typeof scope !== 'string') return undefined
  if (typeof act?.sub !== 'string' || typeof act.sid !== 'string') return undefined
  return {
    kid,
    expiresAtMs: exp * 1000,
    userId: sub,
    issuerId: act.sub,
    credentialId: act.sid,
    permissions: scope === '' ? [] : scope.split(' '),
    ...(typeof design === 'string' ? { designId: design } : {}),
  }
}
