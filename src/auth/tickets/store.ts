import type { Pool } from 'pg'
import type { Db } from '../../platform/db/index.ts'
import type { Role, StaffRole } from '../../platform/http/core/principal.ts'

/** The credential that made a ticket. */
export interface TicketHolder {
  kind: 'session' | 'api_key'
  /** The id of the session, or the stored hash of the API key. */
  reference: string
  userId: string
}

export async function insertTicket(
  db: Db,
  { tokenHash, kind, reference, userId, expiresAt }: TicketHolder & { tokenHash: string; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('event_stream_tickets')
    .values({ token_hash: tokenHash, kind, reference, user_id: userId, expires_at: expiresAt })
    .execute()
}

/** Consumes a ticket: of parallel requests with it, on any node, one gets it. */
export async function takeTicket(db: Db, tokenHash: string, now: Date): Promise<TicketHolder | undefined> {
  const row = await db
    .deleteFrom('event_stream_tickets')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returning(['kind', 'reference', 'user_id as userId'])
    .executeTakeFirst()
  return row && { ...row, kind: row.kind as TicketHolder['kind'] }
}

/** Finds the current role of the user of a session, and when the session ends unless it is refreshed. */
export async function findSessionState(
  pool: Pool,
  sessionId: string,
): Promise<{ role: Role; staffRole: StaffRole | null; expiresAt: Date } | undefined> {
  const { rows } = await pool.query<{ role: Role; staffRole: StaffRole | null; expiresAt: Date }>({
    name: 'session_state',
    text: `select u.role, u.staff_role as "staffRole", least(s.refresh_expires_at, s.expires_at) as "expiresAt"
           from sessions s join users u on u.id = s.user_id
           where s.id = $1 and s.ended_at is null and u.disabled_at is null`,
    values: [sessionId],
  })
  return rows[0]
}

export async function pruneTickets(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('event_stream_tickets').where('expires_at', '<', now).execute()
}
