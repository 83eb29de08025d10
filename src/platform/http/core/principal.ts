import type { FastifyRequest } from 'fastify'
import { shareOf } from '../../fair-share.ts'
import { addressKey } from './client-address.ts'

export type Role = 'customer' | 'operator' | 'admin'

/** Roles that restrict an operator to one area of the work. */
export const STAFF_ROLES = ['prepress', 'packing', 'accounting', 'read_only'] as const
export type StaffRole = (typeof STAFF_ROLES)[number]

/** The authenticated caller. Determined once per request, before any guard. */
export interface Principal {
  /** `guest` is a session without an account, `customer_token` a token that a shop issued for one of its customers. */
  kind: 'session' | 'api_key' | 'guest' | 'customer_token'
  /** The owner of what the request reads and writes. */
  userId: string
  role: Role
  /** What restricts an operator; null for an operator who may do everything that operators may, and for all others. */
  staffRole: StaffRole | null
  /** The id of the session, API key or customer, by which rate limits count. */
  credentialId: string
  /** What the credential may do, which never exceeds what the account may do. */
  permissions: ReadonlySet<string>
  /** The only design that a customer token reaches, if it is bound to one. */
  designId?: string
  /** The operator who acts for the customer `userId`. */
  actorId?: string
  /** What the operator may do who acts for the customer. `permissions` has only what customers may do. */
  actorPermissions?: ReadonlySet<string>
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

/** Returns the caller to whom an idempotency key belongs. An operator who acts for customers is a caller for each. */
export function idempotencyCallerOf({ userId, actorId }: Principal): string {
  return actorId === undefined ? userId : `${actorId}/${userId}`
}

/**
 * Factor by which the limits of an account exceed those of one credential. Devices and API keys of an account are
 * separate credentials.
 */
export const ACCOUNT_SHARE = 2

/**
 * Factor by which the limits of all guests of a network together exceed those of one credential. A client may open any
 * number of guests, but an office can have many visitors behind one IP address.
 */
export const GUESTS_SHARE = 10

/**
 * Returns the account that a request counts against: the share of a user, or the key of the IP address of an anonymous
 * caller.
 */
export function accountOf({ principal, ip }: Pick<FastifyRequest, 'principal' | 'ip'>): string {
  return principal === undefined ? addressKey(ip) : shareOf(principal.userId)
}
