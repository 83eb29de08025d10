import type { FastifyRequest } from 'fastify'
import { addressKey } from './client-address.ts'

export type Role = 'customer' | 'operator' | 'admin'

/** The authenticated caller. Determined once per request, before any guard. */
export interface Principal {
  kind: 'session' | 'api_key'
  userId: string
  role: Role
  /** Id of the session or API key. Rate limits count requests by it. */
  credentialId: string
  /** The permissions of an API key. Undefined for a session, which may do everything that its role may do. */
  permissions: ReadonlySet<string> | undefined
  /** When the user last authenticated. Only for sessions. */
  authenticatedAt?: Date
  /** The authentication methods of the session (`amr`, RFC 8176). */
  authenticationMethods?: readonly string[]
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Undefined for anonymous requests and for requests with an invalid credential. Guards decide whether to reject
     * them.
     */
    principal: Principal | undefined
  }
}

/** Returns the caller of a route whose guard rejects anonymous callers. */
export function principalOf(request: Pick<FastifyRequest, 'principal'>): Principal {
  if (request.principal === undefined) throw new Error('the guard of this route accepts anonymous callers')
  return request.principal
}

/**
 * Factor by which the limits of an account exceed those of one credential. Devices and API keys of an account are
 * separate credentials.
 */
export const ACCOUNT_SHARE = 2

/**
 * Returns the account that a request counts against: a user id, or the key of the IP address of an anonymous caller.
 */
export function accountOf({ principal, ip }: Pick<FastifyRequest, 'principal' | 'ip'>): string {
  return principal?.userId ?? addressKey(ip)
}
