import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** Lists guests that were not used since a timestamp. Each refresh of a token is a use. */
export async function listUnusedGuests(db: Db, since: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select u.id from users u
    where u.kind = 'guest' and u.deleted_at is null and u.created_at < ${since}
      and not exists (select from sessions s where s.user_id = u.id and s.last_seen_at >= ${since})
    order by u.created_at limit ${limit}::int`.execute(db)
  return rows.map(({ id }) => id)
}
