import { sql } from 'kysely'
import { enqueue } from '../../../src/platform/jobs/jobs.ts'
import type { RequestEntry } from '../../../src/request-log/entry.ts'
import { storeEntries } from '../../../src/request-log/store.ts'
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
  await call('getSystemConfiguration', { token })
  await call('listSigningKeys', { token })
  await call('listMailPreviews', { token })
  await call('previewMail', { token, params: { kind: 'order_paid' }, query: 'language=en' })
  const text = { kind: 'order_paid', language: 'en' }
  const written = {
    subject: 'Thank you, {{name}}',
    body: 'We received {{total}}.\n\nYour order {{number}} is printed next.',
  }
  await call('getMailText', { token, params: text })
  await call('previewMailText', { token, params: { kind: text.kind }, body: { language: text.language, ...written } })
  await call('replaceMailText', { token, params: text, body: written })
  await call('resetMailText', { token, params: text })
  await call('sendTestMail', { token, params: { kind: 'order_paid' }, body: { language: 'en' } })
  await call('rotateSigningKeys', { token, body: { purposes: ['access_token'], force: true } })
  const { data } = await call('listJobs', { token, query: 'state=failed' })
  await call('retryJob', { token, params: { jobId: data[0].id }, body: {} })
  await call('verifyAuditLog', { token, body: {} })
  const requestId = '6f1c2a34-9d0e-4b57-8a61-3c5d7e9f0b12'
  const refused: RequestEntry = {
    ...{ requestId, endedAt: new Date('2026-03-01T12:00:00.000Z'), method: 'GET', route: '/orders/{orderId}' },
    ...{ operation: 'getOrder', parameters: [], status: 404, problem: 'order_not_found', durationMs: 7 },
    ...{ caller: 'session', userId: admin.userId, actorId: null, credentialId: null, network: '203.0.113.7' },
  }
  await storeEntries(db, '2026-03-01', [refused])
  await call('listRequestLog', { token, query: 'status=4xx' })
  await call('getRequestLogEntry', { token, params: { requestId } })
}
