import { type RawBuilder, sql } from 'kysely'
import { guestGroupOf } from '../fair-share.ts'

/** Condition for rows with a column `owner_id` whose owner is this user, or a guest of the same network. */
export function hasShareOf(userId: string): RawBuilder<boolean> {
  const group = guestGroupOf(userId)
  return group === undefined ? sql`owner_id = ${userId}` : isGuestOf(group)
}

/** Condition for rows of the guests of one network. Partial indexes have the same expressions. */
export function isGuestOf(group: string): RawBuilder<boolean> {
  return sql`substr(owner_id, 15, 1) in ('g', 'h') and right(owner_id, 6) = ${group}`
}
