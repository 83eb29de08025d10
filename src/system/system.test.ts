import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { startService, type TestService } from '../../test/harness.ts'
import { until } from '../../test/lib/until.ts'
import { enqueue, startJobRunner } from '../platform/jobs/jobs.ts'
import { sendMessage } from '../platform/messages/mail.ts'
import { createLog } from '../platform/telemetry/log.ts'
import { addPendingDeliveries } from './factory.ts'

const SECRET = 'token-of-ada@example.com'

async function start(t: TestContext) {
  const service = await startService(t)
  const { accessToken: admin } = await service.signUp({ role: 'admin' })
  const read = async (path: string) => (await service.request('GET', path, { token: admin })).body
  const retry = (id: string, headers = {}) =>
    service.request('POST', `/system/jobs/${id}/retry`, { token: admin, body: {}, headers })
  return { service, admin, read, retry }
}

/** Stores a job of a kind that nothing runs, as it is after some attempts. */
async function storeJob(
  { db }: TestService,
  { kind = 'test.fail', attempts = 0, most = 3, lockedBy = null as string | null, runAt = new Date() },
): Promise<string> {
  await enqueue(db, kind, { email: SECRET }, { maxAttempts: most, runAt })
  const { rows } = await sql<{ id: string }>`
    update graphile_worker._private_jobs set attempts = ${attempts}, last_error = ${`refused ${SECRET}`},
      locked_by = ${lockedBy}::text, locked_at = case when ${lockedBy}::text is null then null else now() end
    where id = (select max(id) from graphile_worker._private_jobs) returning id::text`.execute(db)
  return rows[0]?.id ?? ''
}

const inAnHour = () => new Date(Date.now() + 3_600_000)

test('the state of the service', async (t) => {
  const { service, admin, read } = await start(t)
  const { db } = service

  await t.test('parts, and what waits since when', async () => {
    const due = new Date(Date.now() - 60_000)
    await storeJob(service, { runAt: due })
    await storeJob(service, { runAt: inAnHour() })
    await storeJob(service, { attempts: 3 })
    await storeJob(service, { kind: 'test.run', lockedBy: 'runner' })
    await sql`insert into job_runners (id, last_seen_at, taken_over_at) values
      ('alive', now(), null), ('silent', now() - interval '1 hour', null), ('dead', now(), now())`.execute(db)
    const mail = { channel: 'email', kind: 'test', to: SECRET, text: SECRET } as const
    const sent = new Date('2026-01-02T03:04:05.000Z')
    await sendMessage(db, mail, sent)
    const oldest = await addPendingDeliveries(service, admin)
    const status = await read('/system/status')
    assert.deepEqual(status.parts, { database: true, storage: true, disk: true, checking: true, rendering: true })
    const kinds = Object.fromEntries(status.jobs.kinds.map(({ kind, ...rest }: { kind: string }) => [kind, rest]))
    assert.deepEqual(kinds['test.fail'], { waiting: 2, running: 0, failed: 1, dueSince: due.toISOString() })
    assert.deepEqual(kinds['test.run'], { waiting: 0, running: 1, failed: 0, dueSince: null })
    assert.deepEqual([status.jobs.runners, status.jobs.running, status.jobs.failed], [1, 1, 1])
    assert.equal(status.jobs.dueSince, due.toISOString())
    assert.equal(status.messages.mailServer, false)
    assert.equal(status.messages.waitingSince, sent.toISOString())
    // Deliveries of the disabled endpoint do not wait.
    assert.deepEqual(status.webhooks, { pending: 2, pendingSince: oldest.toISOString() })
    assert.ok(!JSON.stringify(status).includes(SECRET))
  })

  await t.test('a part that does not work', async () => {
    t.mock.method(service.services.readiness, 'checkStorage', () => Promise.reject(new Error('disk is gone')))
    t.mock.method(service.services.readiness, 'checkParts', async () => ({ 'text layout': true, drawing: false }))
    const { parts } = await read('/system/status')
    assert.deepEqual(parts, { database: true, storage: false, disk: true, checking: true, rendering: false })
  })
})

test('background jobs', async (t) => {
  const { service, admin, read, retry } = await start(t)
  const { db } = service

  await t.test('are listed by state and kind, newest first, without their content', async () => {
    const failed = [await storeJob(service, { attempts: 3 }), await storeJob(service, { attempts: 3 })]
    const waiting = await storeJob(service, { kind: 'test.wait' })
    const first = await read('/system/jobs?limit=1&state=failed&kind=test.fail')
    assert.deepEqual(
      first.data.map(({ id }: { id: string }) => id),
      [failed[1]],
    )
    const next = await read(`/system/jobs?limit=1&state=failed&kind=test.fail&cursor=${first.nextCursor}`)
    assert.deepEqual([next.data[0].id, next.nextCursor], [failed[0], null])
    const [job] = (await read('/system/jobs?kind=test.wait')).data
    const { runAt: _, createdAt: __, ...rest } = job
    const error = 'refused [email address]'
    assert.deepEqual(rest, { id: waiting, kind: 'test.wait', state: 'waiting', attempts: 0, maxAttempts: 3, error })
    assert.ok(!JSON.stringify(await read('/system/jobs?limit=100')).includes('ada'))
    const refused = await service.request('GET', '/system/jobs?cursor=-1', { token: admin })
    assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_cursor'])
  })

  await t.test('a failed job gets one attempt more, and runs', async () => {
    const id = await storeJob(service, { kind: 'test.again', attempts: 3, runAt: inAnHour() })
    const first = await retry(id)
    assert.deepEqual([first.status, first.body.state, first.body.attempts], [200, 'waiting', 2])
    assert.ok(new Date(first.body.runAt) <= new Date())
    let isLast: boolean | undefined
    const handle = async (_: unknown, attempt?: { isLast: boolean }) => {
      isLast = attempt?.isLast
    }
    const log = createLog({ level: 'silent' })
    const runner = startJobRunner(service.services.database, [{ name: 'test.again', handle }], log)
    t.after(() => runner.stop())
    await until('the job', async () => (await read('/system/jobs?kind=test.again')).data.length === 0)
    assert.equal(isLast, true)
    assert.equal((await retry(id)).body.code, 'job_not_found')
  })

  await t.test('a retry is recorded once, however often it is sent', async () => {
    const id = await storeJob(service, { attempts: 1, runAt: inAnHour() })
    const headers = { 'idempotency-key': 'key-of-the-test' }
    const answers = [await retry(id, headers), await retry(id, headers), await retry(id)]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    const events = (await read('/security-events?type=job_retried')).data
    const ofJob = events.filter(({ details }: { details: { jobId: string } }) => details.jobId === id)
    assert.deepEqual(
      ofJob.map(({ details }: { details: object }) => details),
      [{ jobId: id, kind: 'test.fail' }],
    )
  })

  await t.test('a job that waits for its time does not run early, and a running one stays as it is', async () => {
    const early = await storeJob(service, { runAt: inAnHour() })
    const refused = await retry(early)
    assert.deepEqual([refused.status, refused.body.code], [409, 'job_not_failed'])
    const running = await storeJob(service, { attempts: 3, lockedBy: 'runner' })
    const kept = await retry(running)
    assert.deepEqual([kept.body.state, kept.body.attempts], ['running', 3])
    const { rows } = await sql<{ lockedBy: string }>`
      select locked_by as "lockedBy" from graphile_worker._private_jobs where id = ${running}::bigint`.execute(db)
    assert.equal(rows[0]?.lockedBy, 'runner')
  })

  await t.test('unknown jobs are not found', async () => {
    for (const id of ['999999', '0', 'x', '1e3', '99999999999999999999'])
      assert.deepEqual([(await retry(id)).status, (await retry(id)).body.code], [404, 'job_not_found'], id)
  })

  await t.test('administrators and keys with the permission only', async () => {
    const { accessToken: operator } = await service.signUp({ role: 'operator' })
    const key = async (permissions: string[]) =>
      (await service.request('POST', '/api/api-keys', { token: admin, body: { name: 'k', permissions } })).body.key
    const [read, write, wide] = [await key(['system:read']), await key(['system:write']), await key(['read', 'write'])]
    const id = await storeJob(service, { attempts: 3 })
    const statuses = async (token: string) => [
      (await service.request('GET', '/system/status', { token })).status,
      (await service.request('GET', '/system/jobs', { token })).status,
      (await service.request('POST', `/system/jobs/${id}/retry`, { token, body: {} })).status,
    ]
    assert.deepEqual(await statuses(operator), [403, 403, 403])
    assert.deepEqual(await statuses(wide), [403, 403, 403])
    assert.deepEqual(await statuses(read), [200, 200, 403])
    assert.deepEqual(await statuses(write), [403, 403, 200])
  })
})
