import type { Db } from '../../platform/db/index.ts'
import { enqueue } from '../../platform/jobs.ts'
import { releaseAbandonedAttempts } from './attempts/store.ts'
import { FINISH_JOB } from './attempts/supersede-attempt.ts'
import { releaseAbandonedRefunds } from './refunds/store.ts'

/** Has charges and refunds that a killed process was at gone on with at once. For who knows that no other process is at them. */
export async function releaseAbandonedPayments(db: Db, at: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await releaseAbandonedAttempts(trx, at)
    await releaseAbandonedRefunds(trx, at)
    await enqueue(trx, FINISH_JOB, {}, { key: FINISH_JOB })
  })
}
