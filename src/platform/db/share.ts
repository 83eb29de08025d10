import { type RawBuilder, sql } from 'kysely'
import { GUESTS, guestGroupOf, NETWORK_CHARACTERS } from '../fair-share.ts'

/** Condition for rows with a column `owner_id` whose owner is this user, or a guest of the same IP address. */
export function hasShareOf(userId: string): RawBuilder<boolean> {
  const group = guestGroupOf(userId)
  return group === undefined ? sql`owner_id = ${userId}` : isGuestOf(group)
}

/** Condition for rows of the guests of one IP address. Partial indexes have the same expressions. */
export function isGuestOf(group: string): RawBuilder<boolean> {
  return sql`${isGuestColumn('owner_id')} and right(owner_id, 6) = ${group}`
}

/** Condition for rows of the guests of a whole network that have bytes. Partial indexes have the same expressions. */
export function storesForNetwork(group: string): RawBuilder<boolean> {
  return sql`${isGuestColumn('owner_id')} and bytes > 0
    and left(right(owner_id, 6), 3) = ${group.slice(0, NETWORK_CHARACTERS)}`
}

/** Condition for a column with the id of a user: the user is a guest. */
export function isGuestColumn(column: string): RawBuilder<boolean> {
  return sql`substr(${sql.ref(column)}, 15, 1) in ('g', 'h')`
}

/**
 * Expression for the share of processes of the user whose id is in a column (`findShare`).
 *
 * @param network the column of `newcomers`, null for users who have no row there
 */
export function shareOfCustomer(column: string, network: string): RawBuilder<string> {
  return sql`coalesce(${sql.lit(GUESTS)} || ${sql.ref(network)}, ${shareOfColumn(column)})`
}

/** Expression for what the shares of the visitors of a network have in common (`networkOfShare`), otherwise the share. */
export function networkOfCustomer(column: string, network: string): RawBuilder<string> {
  return sql`coalesce(${networkOfVisitor(column, network)}, ${shareOfCustomer(column, network)})`
}

/** Expression for what the shares of the visitors of a network have in common, and null for other users. */
export function networkOfVisitor(column: string, network: string): RawBuilder<string | null> {
  const share = shareOfCustomer(column, network)
  const ofNetwork = sql`left(${share}, ${sql.lit(GUESTS.length + NETWORK_CHARACTERS)})`
  return sql`case when starts_with(${share}, ${sql.lit(GUESTS)}) then ${ofNetwork} end`
}

/** Expression for the share (`shareOf`) of the user whose id is in a column. */
export function shareOfColumn(column: string): RawBuilder<string> {
  const userId = sql.ref(column)
  return sql`case when ${isGuestColumn(column)} then ${sql.lit(GUESTS)} || right(${userId}, 6) else ${userId} end`
}
