import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startService } from '../../test/harness.ts'
import { enqueue } from '../platform/jobs/jobs.ts'
import { sendMessage } from '../platform/messages/mail.ts'
import { createMetrics } from '../platform/telemetry/metrics.ts'
import { addPendingDeliveries } from './factory.ts'
import { measureWork } from './measure-work.ts'

/** Returns the value of a metric with these labels. Undefined if it is missing. */
function metric(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

test('the metrics state what waits in the database, who signed in, and what the process is', async (t) => {
  const service = await startService(t)
  const { accessToken: admin } = await service.signUp({ role: 'admin' })
  await enqueue(service.db, 'test.fail', {}, { runAt: new Date(Date.now() - 60_000) })
  await sql`insert into job_runners (id, last_seen_at) values ('alive', now())`.execute(service.db)
  await addPendingDeliveries(service, admin)
  const hourAgo = new Date(Date.now() - 3_600_000)
  await sendMessage(service.db, { channel: 'email', kind: 'test', to: 'a@example.com', text: 'a' }, hourAgo)
  const { text } = await service.request('GET', `${service.origin}/metrics`, { token: admin })
  assert.equal(metric(text, 'platen_jobs{kind="test.fail",state="waiting"}'), 1)
  assert.ok((metric(text, 'platen_jobs_oldest_due_seconds') ?? 0) >= 60)
  assert.equal(metric(text, 'platen_job_runners'), 1)
  assert.equal(metric(text, 'platen_webhook_deliveries_pending'), 2)
  assert.ok((metric(text, 'platen_webhook_oldest_pending_seconds') ?? 0) > 0)
  assert.ok((metric(text, 'platen_messages_waiting') ?? 0) >= 1)
  assert.ok((metric(text, 'platen_messages_oldest_waiting_seconds') ?? 0) >= 3_600)
  assert.ok((metric(text, 'platen_events_held_back_seconds') ?? -1) >= 0)
  assert.ok((metric(text, 'platen_security_events_total{type="sign_in",result="success"}') ?? 0) >= 1)
  assert.ok((metric(text, 'platen_database_connections{state="idle"}') ?? -1) >= 0)
  assert.equal(metric(text, 'platen_render_jobs{pool="drawing",priority="background",state="waiting"}'), 0)
  assert.match(text, /^platen_build_info\{version="[^"]+",node="[^"]+"\} 1$/m)
})

test('without the database, the other metrics are still exposed', async (t) => {
  const { db } = await startService(t)
  const { registry } = createMetrics()
  const gone = () => Promise.reject(new Error('the database is gone'))
  measureWork(registry, { db, readMessageQueue: gone, readWebhookBacklog: gone })
  const text = await registry.metrics()
  assert.equal(metric(text, 'platen_webhook_deliveries_pending'), undefined)
  assert.ok((metric(text, 'platen_event_loop_delay_p95_seconds') ?? -1) >= 0)
})
