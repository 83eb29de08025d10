import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { Role, StaffRole } from '../../platform/http/core/principal.ts'
import type { PageQuery } from '../../platform/http/responses/pagination.ts'
import { toUser, USER_COLUMNS, type User } from './store.ts'

export interface UserFilter {
  /** Words of email address, name or external id; each word matches as a prefix. */
  words?: string | undefined
  /** Normalized. */
  email?: string | undefined
  externalId?: string | undefined
  role?: Role | undefined
  staffRole?: StaffRole | undefined
  disabled?: boolean | undefined
}

/** Lists accounts, newest first. It returns one user more than the limit if another page follows. */
export async function listUsers(
  db: Db,
  { words, email, externalId, role, staffRole, disabled }: UserFilter,
  query: PageQuery,
  after: string | undefined,
): Promise<User[]> {
  const wantedRole = staffRole === undefined ? role : 'operator'
  const rows = await db
    .selectFrom('users')
    .select(USER_COLUMNS)
    .where('deleted_at', 'is', null)
    .where('kind', '=', 'account')
    .$if(after !== undefined, (list) => list.where('id', '<', after ?? ''))
    .$if(words !== undefined, (list) => list.where(matchesWords(words ?? '')))
    .$if(email !== undefined, (list) => list.where('email', '=', email ?? ''))
    .$if(externalId !== undefined, (list) => list.where('external_id', '=', externalId ?? ''))
    .$if(role !== undefined || staffRole !== undefined, (list) => list.where('role', '=', wantedRole ?? ''))
    // Implied by the role, so that the planner uses the index of the few accounts that are not customers.
    .$if(wantedRole !== undefined && wantedRole !== 'customer', (list) => list.where(sql<boolean>`role <> 'customer'`))
    .$if(staffRole !== undefined, (list) => list.where('staff_role', '=', staffRole ?? ''))
    .$if(disabled === true, (list) => list.where('disabled_at', 'is not', null))
    .$if(disabled === false, (list) => list.where('disabled_at', 'is', null))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
  return rows.map(toUser)
}

/** Reads the matching ids from the index first. Otherwise the planner may scan all accounts for an early match. */
function matchesWords(words: string) {
  return sql<boolean>`id = any (array(
    select id from users
    where customer_search(external_id, name, email) @@ search_query(${words}) and kind = 'account' and deleted_at is null))`
}
