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
] as const
export type Permission = (typeof PERMISSIONS)[number]

/**
 * What an API key can be granted: single permissions, or `read` or `write` for all areas. `write` does not include
 * `read`.
 */
export const GRANTS = ['read', 'write', ...PERMISSIONS] as const
export type Grant = (typeof GRANTS)[number]

const ADMIN_ONLY: ReadonlySet<Permission> = new Set<Permission>(['products:write'])
const FOR_ADMINS: ReadonlySet<Permission> = new Set(PERMISSIONS)
const FOR_OTHERS: ReadonlySet<Permission> = new Set(PERMISSIONS.filter((permission) => !ADMIN_ONLY.has(permission)))

/** Returns the permissions of a role, which no credential of the account exceeds. */
export function permissionsOfRole(role: Role): ReadonlySet<Permission> {
  return role === 'admin' ? FOR_ADMINS : FOR_OTHERS
}

/** Returns the permissions of a key with these grants while its owner has this role. */
export function effectivePermissions(grants: readonly string[], role: Role): ReadonlySet<Permission> {
  const allowed = permissionsOfRole(role)
  return new Set(
    PERMISSIONS.filter((permission) => {
      const direction = permission.endsWith(':read') ? 'read' : 'write'
      return allowed.has(permission) && (grants.includes(permission) || grants.includes(direction))
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
