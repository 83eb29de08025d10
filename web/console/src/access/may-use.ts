import type { OwnUser } from '@platen/client'

/** What the pages of the console need. The service enforces the same; a page only hides what it would refuse. */
export type Permission =
  | `${'products' | 'orders' | 'customers' | 'webhooks'}:${'read' | 'write'}`
  | 'events:read'
  | 'users:read'
  | 'audit:read'

const OF_ADMINISTRATORS: ReadonlySet<Permission> = new Set<Permission>(['products:write', 'users:read', 'audit:read'])

/** Tells whether a user is one of those for whom the console is. */
export const isStaff = ({ role }: OwnUser): boolean => role !== 'customer'

/** Tells whether a user may do something. */
export function mayUse({ role }: OwnUser, permission: Permission): boolean {
  return role === 'admin' || (role === 'operator' && !OF_ADMINISTRATORS.has(permission))
}
