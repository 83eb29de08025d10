import type { Role, StaffRole } from '../../platform/http/core/principal.ts'

/** Permissions of accounts and credentials. Each names an area of the API and either `read` or `write`. */
export const PERMISSIONS = [
  'designs:read',
  'designs:write',
  'assets:read',
  'assets:write',
  'products:read',
  'products:write',
  'orders:read',
  'orders:write',
  'payments:write',
  'production:write',
  'shipping:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'customers:read',
  'customers:write',
  'prices:write',
  'users:read',
  'audit:read',
  'system:read',
  'system:write',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/**
 * Grants of an API key: single permissions, or all of `read` or `write` except those in `NAMED_ONLY`. `write` does not
 * include `read`.
 */
export const GRANTS = ['read', 'write', ...PERMISSIONS] as const
export type Grant = (typeof GRANTS)[number]

const ADMIN_ONLY: ReadonlySet<Permission> = new Set<Permission>([
  'products:write',
  'users:read',
  'audit:read',
  'system:read',
  'system:write',
])
/** `read` and `write` do not include them, so that keys from before they existed do not gain them. */
const NAMED_ONLY: ReadonlySet<Permission> = new Set<Permission>([
  'customers:read',
  'customers:write',
  'prices:write',
  'users:read',
  'audit:read',
  'system:read',
  'system:write',
])
/** Parts of what `orders:write` grants to the key of an operator, so that keys from before they existed keep them. */
const PARTS_OF_ORDERS: ReadonlySet<Permission> = new Set<Permission>([
  'payments:write',
  'production:write',
  'shipping:write',
])

/** The role of an account, with what restricts it. */
export interface AccountRole {
  role: Role
  staffRole: StaffRole | null
}

const NOT_OF_CUSTOMERS = new Set([...ADMIN_ONLY, ...NAMED_ONLY, ...PARTS_OF_ORDERS])

const PERMISSIONS_OF: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  admin: new Set(PERMISSIONS),
  operator: new Set(PERMISSIONS.filter((permission) => !ADMIN_ONLY.has(permission))),
  customer: new Set(PERMISSIONS.filter((permission) => !NOT_OF_CUSTOMERS.has(permission))),
}

/** Every staff role may read events, because the lists of the console follow them. */
const PERMISSIONS_OF_STAFF: Readonly<Record<StaffRole, ReadonlySet<Permission>>> = {
  prepress: new Set([
    'designs:read',
    'designs:write',
    'assets:read',
    'assets:write',
    'products:read',
    'orders:read',
    'production:write',
    'events:read',
  ]),
  packing: new Set(['products:read', 'orders:read', 'shipping:write', 'events:read']),
  accounting: new Set(['products:read', 'orders:read', 'payments:write', 'customers:read', 'events:read']),
  read_only: new Set([...PERMISSIONS_OF.operator].filter((permission) => permission.endsWith(':read'))),
}

const NONE: ReadonlySet<Permission> = new Set()

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

/** The permissions of customers. */
export const CUSTOMER_PERMISSIONS = PERMISSIONS_OF.customer

/**
 * Returns the permissions of an account, which none of its credentials exceeds. A staff role that this release does not
 * know has none: a newer release on the same database may have written it.
 */
export function permissionsOf({ role, staffRole }: AccountRole): ReadonlySet<Permission> {
  if (role !== 'operator' || staffRole === null) return PERMISSIONS_OF[role]
  return PERMISSIONS_OF_STAFF[staffRole] ?? NONE
}

/** Returns the permissions of a key with these grants while its owner has this role. */
export function effectivePermissions(grants: readonly string[], owner: AccountRole): ReadonlySet<Permission> {
  const allowed = permissionsOf(owner)
  return new Set(PERMISSIONS.filter((permission) => allowed.has(permission) && isGranted(grants, permission)))
}

function isGranted(grants: readonly string[], permission: Permission): boolean {
  if (grants.includes(permission)) return true
  if (PARTS_OF_ORDERS.has(permission) && grants.includes('orders:write')) return true
  const direction = permission.endsWith(':read') ? 'read' : 'write'
  return grants.includes(direction) && !NAMED_ONLY.has(permission)
}

/**
 * Returns the granted permissions that an account does not have. The grants `read` and `write` never exceed a role,
 * because they include only what the role permits.
 */
export function grantsBeyondRole(grants: readonly Grant[], owner: AccountRole): Permission[] {
  const allowed = permissionsOf(owner)
  return grants.filter((grant) => grant !== 'read' && grant !== 'write').filter((grant) => !allowed.has(grant))
}
