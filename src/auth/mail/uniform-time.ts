import { sql } from 'kysely'
import type { Trx } from '../../platform/db/index.ts'

/**
 * Does the same work whether there is somebody to do it for or not, and takes it back if not, so that the time an answer
 * takes does not tell either.
 */
export async function inUniformTime(trx: Trx, isReal: boolean, work: () => Promise<void>): Promise<void> {
  await sql`savepoint neutral`.execute(trx)
  await work()
  await (isReal ? sql`release savepoint neutral` : sql`rollback to savepoint neutral`).execute(trx)
}
