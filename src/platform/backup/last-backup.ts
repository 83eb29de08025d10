import { sql } from 'kysely'
import type { Db } from '../db/index.ts'

/** Records that a backup of the database was completed and verified. */
export async function recordBackup(db: Db, takenAt: Date): Promise<void> {
  await db
    .insertInto('last_backup')
    .values({ taken_at: takenAt })
    // Of two backups at a time, the later one may end first.
    .onConflict((conflict) =>
      conflict.column('only_row').doUpdateSet({ taken_at: sql`greatest(last_backup.taken_at, excluded.taken_at)` }),
    )
    .execute()
}

/** Reads when the newest backup of the database was taken. Undefined if there was none. */
export async function readLastBackup(db: Db): Promise<Date | undefined> {
  const row = await db.selectFrom('last_backup').select('taken_at').executeTakeFirst()
  return row?.taken_at
}
