import type { Role } from '../../platform/http/core/principal.ts'

/** Permissions of credentials, by area and direction. */
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

/** Grants of an API key: single permissions, or all of one direction. `write` does not include `read`. */
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

/** Returns the grants that exceed a role. `write` never does: it includes only what the role permits. */
export function grantsBeyondRole(grants: readonly Grant[], role: Role): Permission[] {
  const allowed = permissionsOfRole(role)
  return grants.filter((grant) => grant !== 'read' && grant !== 'write').filter((grant) => !allowed.has(grant))
}
