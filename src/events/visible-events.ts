import { permissionsOf } from '../auth/index.ts'
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
  const permissions = permissionsOf({ role, staffRole })
  const hidden = groups.filter(({ permission }) => !permissions.has(permission))
  return { ownerId: undefined, hiddenTypes: hidden.flatMap(({ types }) => types) }
}
