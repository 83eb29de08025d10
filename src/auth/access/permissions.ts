import type { Role } from '../../platform/http/principal.ts'

/** What a credential may be allowed to do, by area and direction. */
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

/** What an API key can be given: single permissions, or all of one direction. `write` does not contain `read`. */
export const GRANTS = ['read', 'write', ...PERMISSIONS] as const
export type Grant = (typeof GRANTS)[number]

const ADMIN_ONLY: ReadonlySet<Permission> = new Set<Permission>(['products:write'])
const FOR_ADMINS: ReadonlySet<Permission> = new Set(PERMISSIONS)
const FOR_OTHERS: ReadonlySet<Permission> = new Set(PERMISSIONS.filter((permission) => !ADMIN_ONLY.has(permission)))

/** What the role itself may do; nothing a person holds goes beyond it. */
export function permissionsOfRole(role: Role): ReadonlySet<Permission> {
  return role === 'admin' ? FOR_ADMINS : FOR_OTHERS
}

/** What a key with these grants may do while its owner has this role. */
export function effectivePermissions(grants: readonly string[], role: Role): ReadonlySet<Permission> {
  const allowed = permissionsOfRole(role)
  return new Set(
    PERMISSIONS.filter((permission) => {
      const direction = permission.endsWith(':read') ? 'read' : 'write'
      return allowed.has(permission) && (grants.includes(permission) || grants.includes(direction))
    }),
  )
}

/** Those of the grants that name something the role may not do. `write` names nothing in particular and is cut down. */
export function grantsBeyondRole(grants: readonly Grant[], role: Role): Permission[] {
  const allowed = permissionsOfRole(role)
  return grants.filter((grant) => grant !== 'read' && grant !== 'write').filter((grant) => !allowed.has(grant))
}
