import { hasAuthorization } from '../../platform/http/core/bearer.ts'
import { defineGuard, type Guard } from '../../platform/http/core/guard.ts'
import type { Principal, Role } from '../../platform/http/core/principal.ts'
import type { HttpRequest } from '../../platform/http/core/request.ts'
import type { Problem } from '../../platform/problem.ts'
import { type Permission, permissionsOf } from '../access/permissions.ts'
import { isSession, type SessionPrincipal } from '../access/session-principal.ts'
import { authProblems } from '../problems.ts'
import { insufficientRole, insufficientScope, lacksPermission, notAccepted, sessionRequired } from './refusals.ts'

const RANK: Readonly<Record<Role, number>> = { customer: 0, operator: 1, admin: 2 }

/**
 * Admits requests without a credential or with a valid one. A request with an invalid credential fails, because
 * otherwise its response would lack the caller's own data without an explanation.
 */
export const anyone: Guard = defineGuard({ kind: 'public' }, refuseInvalidCredential)

/** Admits the same requests as `anyone`, for routes that also show what belongs to the caller. */
export const anyoneWithOwnRecords: Guard = defineGuard({ kind: 'public', takesCustomer: true }, refuseInvalidCredential)

function refuseInvalidCredential(request: HttpRequest): undefined {
  if (request.principal === undefined && hasAuthorization(request)) throw notAccepted(request)
}

/** Permissions of the operations that accept `Platen-Customer`: designs, assets, fonts, quotes and orders. */
const ACTING_AREA = /^(designs|assets|orders):/

function takesCustomer(permission: Permission): boolean {
  return ACTING_AREA.test(permission)
}

/** Admits a session if its account has all these permissions, and an API key if all of them were granted to it. */
export function requireScope(permission: Permission, ...morePermissions: Permission[]): Guard {
  return defineGuard(
    { kind: 'scope', permission, morePermissions, takesCustomer: takesCustomer(permission) },
    (request) => {
      for (const one of [permission, ...morePermissions]) checkScope(request, one)
    },
  )
}

/**
 * Admits the same callers as `requireScope`, and every request with the query parameter `ticket`, which the route
 * redeems.
 */
export function requireScopeOrTicket(permission: Permission): Guard {
  return defineGuard({ kind: 'scope', permission, takesCustomer: takesCustomer(permission) }, (request) => {
    const { ticket } = request.query as { ticket?: unknown }
    if (ticket === undefined) checkScope(request, permission)
  })
}

/**
 * Requires that the caller has a permission, and that the route is within the reach of a token that is bound to one
 * design. The routes of designs hide the other designs.
 */
function checkScope(request: HttpRequest, permission: Permission): void {
  const principal = requirePrincipal(request)
  checkPermission(principal, permission)
  if (principal.designId === undefined || permission.startsWith('assets:')) return
  if ((request.params as { designId?: string } | undefined)?.designId !== undefined) return
  throw insufficientScope(permission, 'The token reaches only one design, its files and the assets of the customer.')
}

/** Returns whether the caller of a guarded route also has another permission. */
export function hasPermission(request: HttpRequest, permission: Permission): boolean {
  return requirePrincipal(request).permissions.has(permission)
}

/**
 * For guarded routes whose content determines which further permission they need.
 *
 * @throws `insufficient_scope`
 */
export function requirePermission(request: HttpRequest, permission: Permission): void {
  checkPermission(requirePrincipal(request), permission)
}

/** Admits sessions, never an API key. */
export function requireSession(): Guard {
  return defineGuard({ kind: 'session' }, (request) => {
    sessionOf(request)
  })
}

/** Admits a session with a recent sign-in or step-up (10 minutes by default), never an API key. */
export function requireStepUp(): Guard {
  return defineGuard({ kind: 'session', stepUp: true }, (request) => {
    requireRecentSignIn(sessionOf(request))
  })
}

/** @throws `step_up_required` */
export function requireRecentSignIn({ stepUp }: SessionPrincipal): void {
  if (!stepUp.isRecent()) throw authProblems.step_up_required({ members: { maxAge: stepUp.maxAge } })
}

/**
 * Admits accounts with this role or a higher one. The order is customer, operator, admin.
 *
 * @param permission the permission that the account and an API key also need; if undefined, the guard admits no API keys
 */
export function requireRole(role: 'operator' | 'admin', permission?: Permission): Guard {
  const description = { kind: 'role', role, ...(permission === undefined ? {} : { permission }) } as const
  return defineGuard(description, (request) => {
    const principal = requireRank(request, role)
    if (permission === undefined) sessionOf(request)
    else checkPermission(principal, permission)
  })
}

/** Admits accounts with this role or a higher one that have at least one of these permissions, as an API key must. */
export function requireRoleWithAny(
  role: 'operator' | 'admin',
  permission: Permission,
  ...alternatives: Permission[]
): Guard {
  return defineGuard({ kind: 'role', role, permission, alternatives }, (request) => {
    const principal = requireRank(request, role)
    const sufficient = [permission, ...alternatives]
    if (sufficient.some((one) => principal.permissions.has(one))) return
    // Names a permission that an API key of this account can get.
    const granted = permissionsOf(principal)
    throw lacksPermission(principal, sufficient.find((one) => granted.has(one)) ?? permission)
  })
}

/**
 * Admits sessions of administrators with a recent sign-in or step-up, never an API key: a key that may give permissions
 * to accounts could obtain every permission.
 */
export function requireAdminStepUp(): Guard {
  return defineGuard({ kind: 'role', role: 'admin', stepUp: true }, (request) => {
    requireRank(request, 'admin')
    requireRecentSignIn(sessionOf(request))
  })
}

function requireRank(request: HttpRequest, role: 'operator' | 'admin'): Principal {
  const principal = requirePrincipal(request)
  if (RANK[principal.role] < RANK[role]) throw insufficientRole(principal, role)
  return principal
}

/** Returns the session of a request. @throws `session_required` if the caller used an API key */
export function sessionOf(request: HttpRequest): SessionPrincipal {
  const principal = requirePrincipal(request)
  if (!isSession(principal)) throw sessionRequired(principal)
  return principal
}

export function requirePrincipal(request: HttpRequest): Principal {
  if (request.principal === undefined) throw unauthenticated(request)
  return request.principal
}

/** Returns the error for a missing or an invalid credential (RFC 6750, section 3). */
export function unauthenticated(request: HttpRequest): Problem {
  if (!hasAuthorization(request)) {
    return authProblems.authentication_required({ headers: { 'WWW-Authenticate': 'Bearer realm="platen"' } })
  }
  return notAccepted(request)
}

function checkPermission(principal: Principal, permission: Permission): void {
  if (!principal.permissions.has(permission)) throw lacksPermission(principal, permission)
}
