import type { OwnUser, Permission } from '@platen/client'
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
  'payments:write': 'account.permissionPaymentsWrite',
  'production:write': 'account.permissionProductionWrite',
  'shipping:write': 'account.permissionShippingWrite',
  'webhooks:read': 'account.permissionWebhooksRead',
  'webhooks:write': 'account.permissionWebhooksWrite',
  'events:read': 'account.permissionEventsRead',
  'customers:read': 'account.permissionCustomersRead',
  'customers:write': 'account.permissionCustomersWrite',
  'prices:write': 'account.permissionPricesWrite',
  'users:read': 'account.permissionUsersRead',
  'audit:read': 'account.permissionAuditRead',
  'system:read': 'account.permissionSystemRead',
  'system:write': 'account.permissionSystemWrite',
} as const satisfies Record<Permission, MessageKey>

/** The permissions that a key of an account may have. The service refuses others. */
export function permissionsOf({ permissions }: Pick<OwnUser, 'permissions'>): Permission[] {
  const held: readonly Permission[] = ['read', 'write', ...permissions]
  return (Object.keys(PERMISSIONS) as Permission[]).filter((permission) => held.includes(permission))
}
