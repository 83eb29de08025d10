import type { OwnUser } from '@platen/client'
import { mayUse } from '../../access/may-use.ts'

/** Tells whether a user may order for customers: find them, see their designs, and place the order. */
export const mayOrder = (user: OwnUser): boolean =>
  (['customers:read', 'designs:read', 'orders:write'] as const).every((permission) => mayUse(user, permission))
