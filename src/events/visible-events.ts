import { type AccountRole, permissionsOf } from '../auth/index.ts'
import type { Principal } from '../platform/http/core/principal.ts'
import type { EventGroup } from './schemas.ts'

/** The events that a caller may see. */
export interface VisibleEvents {
  /** The owner of the events. Undefined means all owners. */
  ownerId: string | undefined
  /** Types of events that are hidden. */
  hiddenTypes: readonly string[]
}

/**
 * Determines the events that a caller may see: customers their own, and staff those of the records that their role may
 * read. The role of the account decides, not the credential: an API key with `events:read` sees all events that its
 * owner sees.
 */
export function visibleEvents(
  { role, staffRole, userId }: Pick<Principal, 'role' | 'staffRole' | 'userId'>,
  groups: readonly EventGroup[],
): VisibleEvents {
  if (role === 'customer') return { ownerId: userId, hiddenTypes: [] }
  return { ownerId: undefined, hiddenTypes: hiddenTypesOf({ role, staffRole }, groups) }
}

/** Lists the types of events that are hidden from staff with this role. */
export function hiddenTypesOf(reader: AccountRole, groups: readonly EventGroup[]): string[] {
  const permissions = permissionsOf(reader)
  return groups.filter(({ permission }) => !permissions.has(permission)).flatMap(({ types }) => types)
}
