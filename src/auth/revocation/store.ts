import type { Db } from '../../platform/db/index.ts'

/**
 * Lists the sessions that ended, the API keys that were revoked and the users whose role or state changed after a
 * timestamp, by id.
 */
export async function listRecentlyChanged(db: Db, since: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('ended_at', '>', since)
    .unionAll(db.selectFrom('api_keys').select('id').where('revoked_at', '>', since))
    .unionAll(db.selectFrom('users').select('id').where('access_changed_at', '>', since))
    .execute()
  return rows.map((row) => row.id)
}
