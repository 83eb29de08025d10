import type { Pool } from 'pg'
import type { Db } from '../../platform/db/index.ts'
import type { Role } from '../../platform/http/principal.ts'

/** The sessions that ended and the users whose role or state changed after a moment, by id. */
export async function listRecentlyChanged(db: Db, since: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('ended_at', '>', since)
    .unionAll(db.selectFrom('users').select('id').where('access_changed_at', '>', since))
    .execute()
  return rows.map((row) => row.id)
}

/** The present role of the person behind a session; undefined when the session has ended or the person is disabled. */
export async function findSessionRole(pool: Pool, sessionId: string): Promise<Role | undefined> {
  const { rows } = await pool.query<{ role: Role }>({
    name: 'session_role',
    text: `select u.role from sessions s join users u on u.id = s.user_id
           where s.id = $1 and s.ended_at is null and u.disabled_at is null`,
    values: [sessionId],
  })
  return rows[0]?.role
}
