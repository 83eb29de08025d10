import type { Pool } from 'pg'
import type { Role } from '../../platform/http/core/principal.ts'

/** Finds the current role of a session's user. Returns undefined if the session has ended or the user is disabled. */
export async function findSessionRole(pool: Pool, sessionId: string): Promise<Role | undefined> {
  const { rows } = await pool.query<{ role: Role }>({
    name: 'session_role',
    text: `select u.role from sessions s join users u on u.id = s.user_id
           where s.id = $1 and s.ended_at is null and u.disabled_at is null`,
    values: [sessionId],
  })
  return rows[0]?.role
}
