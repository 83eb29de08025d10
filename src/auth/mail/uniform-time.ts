import { sql } from 'kysely'
import type { Trx } from '../../platform/db/index.ts'

/**
 * Does the work, and rolls it back unless `isReal`. Thus a request takes the same time whether an account exists or
 * not, and the response time does not reveal which is the case.
 */
export async function inUniformTime(trx: Trx, isReal: boolean, work: () => Promise<void>): Promise<void> {
  await sql`savepoint neutral`.execute(trx)
  await work()
  await (isReal ? sql`release savepoint neutral` : sql`rollback to savepoint neutral`).execute(trx)
}
