import type { OwnUser } from '@platen/client'

/** An area of the API with `read` or `write`. */
export type Permission = OwnUser['permissions'][number]

/** Tells whether a user is one of those for whom the console is. */
export const isStaff = ({ role }: OwnUser): boolean => role !== 'customer'

/** Tells whether a user may do something. The service enforces the same; a page only hides what it would refuse. */
export const mayUse = ({ permissions }: OwnUser, permission: Permission): boolean => permissions.includes(permission)
