import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { customerIdOf } from '../users/customer-id.ts'
import type { RecordedEvent } from './store.ts'

/** What accounts are known by, by their ids. Erased accounts are missing. */
export type AccountNames = ReadonlyMap<string, string>

/**
 * Finds what the accounts and actors of events are known by: accounts by their email address, customers without one by
 * their name, email address, external id or id.
 */
export async function findNamesOf(
  db: Db,
  events: readonly Pick<RecordedEvent, 'userId' | 'actor'>[],
): Promise<AccountNames> {
  const ids = [...new Set(events.flatMap(({ userId, actor }) => [userId, actor]).filter((id) => id !== null))]
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string | null }>`
    select id, case kind when 'account' then email else coalesce(name, contact_email, external_id) end as name
    from users where id = any(${ids}::text[]) and deleted_at is null`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name ?? customerIdOf(id)]))
}
