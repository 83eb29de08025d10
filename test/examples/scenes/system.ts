import { sql } from 'kysely'
import { enqueue } from '../../../src/platform/jobs.ts'
import type { Stage } from './stage.ts'

/** The state of a service with one failed job. */
export async function recordSystem({ service: { db }, call, admin }: Stage): Promise<void> {
  const token = admin.accessToken
  // How many jobs, mails and deliveries the scenes before have left depends on their speed.
  await sql`truncate graphile_worker._private_jobs restart identity`.execute(db)
  await sql`truncate outbox_messages`.execute(db)
  await sql`update webhook_deliveries set status = 'failed' where status = 'pending'`.execute(db)
  await db.transaction().execute(async (trx) => {
    // In one transaction, because a runner would otherwise run the job.
    await enqueue(trx, 'messages.deliver', {}, { maxAttempts: 5 })
    await sql`
      update graphile_worker._private_jobs set attempts = 5, last_error = 'connect ECONNREFUSED 192.0.2.1:587'`.execute(
      trx,
    )
  })
  await call('getSystemStatus', { token })
  const { data } = await call('listJobs', { token, query: 'state=failed' })
  await call('retryJob', { token, params: { jobId: data[0].id }, body: {} })
}
