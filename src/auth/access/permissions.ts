import type { Role } from '../../platform/http/core/principal.ts'

/** Permissions of credentials. Each names an area of the API and either `read` or `write`. */
export const PERMISSIONS = [
  'designs:read',
  'designs:write',
  'assets:read',
  'assets:write',
  'products:read',
  'products:write',
  'orders:read',
  'orders:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'customers:read',
  'customers:write',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/**
 * Grants of an API key: single permissions, or all of `read` or `write` except those of customers. `write` does not
 * include `read`.
 */
export const GRANTS = ['read', 'write', ...PERMISSIONS] as const
export type Grant = (typeof GRANTS)[number]

const ADMIN_ONLY: ReadonlySet<Permission> = new Set<Permission>(['products:write'])
/** `read` and `write` do not include them, so that keys from before they existed do not gain them. */
const STAFF_ONLY: ReadonlySet<Permission> = new Set<Permission>(['customers:read', 'customers:write'])

const PERMISSIONS_OF: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  admin: new Set(PERMISSIONS),
  operator: new Set(PERMISSIONS.filter((permission) => !ADMIN_ONLY.has(permission))),
  customer: new Set(PERMISSIONS.filter((permission) => !ADMIN_ONLY.has(permission) && !STAFF_ONLY.has(permission))),
}

/** What the work of a customer consists of: the default of customer tokens. */
export const CUSTOMER_TOKEN_PERMISSIONS = [
  'designs:read',
  'designs:write',
  'assets:read',
  'assets:write',
  'orders:read',
  'orders:write',
] as const satisfies readonly Permission[]

/** The permissions of guests. */
export const GUEST_PERMISSIONS: ReadonlySet<Permission> = new Set([...CUSTOMER_TOKEN_PERMISSIONS, 'products:read'])

/** Returns the permissions of a role, which no credential of the account exceeds. */
export function permissionsOfRole(role: Role): ReadonlySet<Permission> {
  return PERMISSIONS_OF[role]
}

/** Returns the permissions of a key with these grants while its owner has this role. */
export function effectivePermissions(grants: readonly string[], role: Role): ReadonlySet<Permission> {
  const allowed = permissionsOfRole(role)
  return new Set(
    PERMISSIONS.filter((permission) => {
      const direction = permission.endsWith(':read') ? 'read' : 'write'
      const isCoarselyGranted = grants.includes(direction) && !STAFF_ONLY.has(permission)
      return allowed.has(permission) && (grants.includes(permission) || isCoarselyGranted)
    }),
  )
}

/**
 * Returns the granted permissions that a role does not have. The grants `read` and `write` never exceed a role, because
 * they include only what the role permits.
 */
export function grantsBeyondRole(grants: readonly Grant[], role: Role): Permission[] {
  const allowed = permissionsOfRole(role)
  return grants.filter((grant) => grant !== 'read' && grant !== 'write').filter((grant) => !allowed.has(grant))
}
