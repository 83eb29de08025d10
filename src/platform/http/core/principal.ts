import type { FastifyRequest } from 'fastify'
import { addressKey } from './client-address.ts'

export type Role = 'customer' | 'operator' | 'admin'

/** Who is calling. Established once per request, before any guard. */
export interface Principal {
  kind: 'session' | 'api_key'
  userId: string
  role: Role
  /** Session id or API key id: what rate limits and idempotency keys are counted by. */
  credentialId: string
  /** What an API key may do; undefined for a session, which may do all that its role may. */
  permissions: ReadonlySet<string> | undefined
  /** When the person last proved who they are. Only sessions have it. */
  authenticatedAt?: Date
  /** How they proved it (`amr`, RFC 8176). */
  authenticationMethods?: readonly string[]
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined for anonymous calls and for calls with a bad credential; guards decide what that means. */
    principal: Principal | undefined
  }
}

/** The caller of a route whose guard admits only known callers. */
export function principalOf(request: Pick<FastifyRequest, 'principal'>): Principal {
  if (request.principal === undefined) throw new Error('The guard of this route admits anonymous callers.')
  return request.principal
}

/** A person's devices and API keys are several credentials; all of an account's together have this many times as much. */
export const ACCOUNT_SHARE = 2

/** The account that a request counts against: a user id, or the key of the IP address of an anonymous caller. */
export function accountOf({ principal, ip }: Pick<FastifyRequest, 'principal' | 'ip'>): string {
  return principal?.userId ?? addressKey(ip)
}
