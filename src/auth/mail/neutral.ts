import { sql } from 'kysely'
import type { Trx } from '../../platform/db/index.ts'
import { deliverNothing } from '../../platform/mail.ts'

/**
 * Does the same work whether there is somebody to do it for or not, and takes it back if not, so that the time an answer
 * takes does not tell either.
 */
export async function evenForNobody(trx: Trx, isReal: boolean, work: () => Promise<void>): Promise<void> {
  await sql`savepoint neutral`.execute(trx)
  await work()
  if (isReal) {
    await sql`release savepoint neutral`.execute(trx)
    return
  }
  await sql`rollback to savepoint neutral`.execute(trx)
  // The commit of a job, and the job itself, take time as well.
  await deliverNothing(trx)
}
