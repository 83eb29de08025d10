import type { Db } from '../../platform/db/index.ts'
import { finishJob } from './make-way.ts'
import { releaseLeftRefunds } from './refunds/store.ts'
import { releaseLeftAttempts } from './store.ts'

/** Has charges and refunds that a killed process was at gone on with at once. For who knows that no other process is at them. */
export async function releaseLeftPayments(db: Db, at: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await releaseLeftAttempts(trx, at)
    await releaseLeftRefunds(trx, at)
    await finishJob.enqueue(trx, {}, { key: finishJob.name })
  })
}
