import { sql } from 'kysely'
import type { Trx } from '../../platform/db/index.ts'

/**
 * Does the same work whether an account exists or not, and rolls it back if not, so that the response time does not
 * reveal which it was.
 */
export async function inUniformTime(trx: Trx, isReal: boolean, work: () => Promise<void>): Promise<void> {
  await sql`savepoint neutral`.execute(trx)
  await work()
  await (isReal ? sql`release savepoint neutral` : sql`rollback to savepoint neutral`).execute(trx)
}
