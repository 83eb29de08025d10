import { type RawBuilder, sql } from 'kysely'
import type { AccountRole } from '../auth/index.ts'
import { STAFF_ROLES, type StaffRole } from '../platform/http/core/principal.ts'

/** The staff roles of newer releases, which the rule treats alike. */
const UNKNOWN_ROLE = 'unknown'

/** Event types that staff may not see, each behind the role of its reader: `operator packing design.finalized`. */
export type HiddenEvents = readonly string[]

/**
 * Lists the event types that are hidden from staff.
 *
 * @param hiddenTypesOf the rule of `GET /events`
 */
export function listHiddenEvents(hiddenTypesOf: (reader: AccountRole) => readonly string[]): HiddenEvents {
  const staffRoles = [null, ...STAFF_ROLES, UNKNOWN_ROLE as StaffRole]
  const operators = staffRoles.map((staffRole): AccountRole => ({ role: 'operator', staffRole }))
  return [{ role: 'admin', staffRole: null } as const, ...operators].flatMap((reader) =>
    hiddenTypesOf(reader).map((type) => `${nameOf(reader)} ${type}`),
  )
}

const nameOf = ({ role, staffRole }: AccountRole): string => `${role} ${staffRole ?? ''}`

/** SQL expression for the role of the owner `u` of an endpoint, as the names of `HiddenEvents` begin. */
export const OWNER_ROLE = sql<string>`concat(u.role, ' ', case
  when u.role <> 'operator' or u.staff_role is null then ''
  when u.staff_role = any(${[...STAFF_ROLES]}::text[]) then u.staff_role
  else ${UNKNOWN_ROLE}::text end)`

/** SQL condition for the event `e`: it is hidden from readers of this role. It is never true for customers. */
export function isHiddenFrom(role: RawBuilder<string>, hidden: HiddenEvents): RawBuilder<boolean> {
  return sql`concat(${role}, ' ', e.type) = any(${[...hidden]}::text[])`
}
