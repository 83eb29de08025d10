import type { Permission, Role } from '@platen/client'
import type { MessageKey } from '@platen/ui'

/** What a key may do, in the order of the list. */
export const PERMISSIONS = {
  read: 'account.permissionRead',
  write: 'account.permissionWrite',
  'designs:read': 'account.permissionDesignsRead',
  'designs:write': 'account.permissionDesignsWrite',
  'assets:read': 'account.permissionAssetsRead',
  'assets:write': 'account.permissionAssetsWrite',
  'products:read': 'account.permissionProductsRead',
  'products:write': 'account.permissionProductsWrite',
  'orders:read': 'account.permissionOrdersRead',
  'orders:write': 'account.permissionOrdersWrite',
  'webhooks:read': 'account.permissionWebhooksRead',
  'webhooks:write': 'account.permissionWebhooksWrite',
  'events:read': 'account.permissionEventsRead',
  'customers:read': 'account.permissionCustomersRead',
  'customers:write': 'account.permissionCustomersWrite',
} as const satisfies Record<Permission, MessageKey>

const STAFF_ONLY: readonly Permission[] = ['customers:read', 'customers:write']

/** The permissions that a key of an account with this role may have. The service refuses others. */
export function permissionsOf(role: Role): Permission[] {
  return (Object.keys(PERMISSIONS) as Permission[]).filter(
    (permission) =>
      (permission !== 'products:write' || role === 'admin') &&
      (!STAFF_ONLY.includes(permission) || role !== 'customer'),
  )
}
