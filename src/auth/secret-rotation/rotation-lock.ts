import { sql } from 'kysely'
import type { DatabasePool } from '../../platform/db/index.ts'
import { AUTH_LOCKS } from '../locks.ts'

/**
 * Runs work while no other process rotates the secret, or, if the lock is not shared, neither rotates nor needs it. The
 * lock ends with this process, in whatever way the process ends.
 *
 * @returns undefined if another process has the lock
 */
export async function withRotationLock<T>(
  database: Pick<DatabasePool, 'openApart'>,
  { isShared }: { isShared: boolean },
  work: () => Promise<T>,
): Promise<{ result: T } | undefined> {
  const own = database.openApart({ application_name: 'platen secret', statement_timeout: 0 })
  try {
    return await own.db.transaction().execute(async (trx) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
      await sql`set local transaction_timeout = 0`.execute(trx)
      const tryLock = isShared ? sql.raw('pg_try_advisory_xact_lock_shared') : sql.raw('pg_try_advisory_xact_lock')
      const { rows } = await sql<{ locked: boolean }>`
        select ${tryLock}(${AUTH_LOCKS.secretRotation}) as locked`.execute(trx)
      return rows[0]?.locked === true ? { result: await work() } : undefined
    })
  } finally {
    await own.close()
  }
}
