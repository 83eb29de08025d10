import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { sql } from 'kysely'
import { startService } from '../../../../test/harness.ts'
import { until } from '../../../../test/lib/until.ts'
import { startJobRunner } from '../../../platform/jobs/jobs.ts'
import { createLog } from '../../../platform/telemetry/log.ts'
import { readVerification } from './verification-store.ts'

const DAY = 86_400

async function start(t: TestContext) {
  const service = await startService(t)
  const { db, clock } = service
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const { jobs } = service.services.auth
  const run = async (name: string): Promise<void> => jobs.find((job) => job.name === name)?.handle({})
  /** The job that runs every day. */
  const verify = () => run('auth.verify_events')
  const read = () => readVerification(db)
  const record = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const event = { type: 'sign_out', userId: 'usr_of_the_test', client: null } as const
      await service.services.auth.services.audit.record(db, event)
    }
    await run('auth.seal_events')
  }
  const tamper = async (statement: string): Promise<void> => {
    await sql`alter table security_events disable trigger user`.execute(db)
    await sql.raw(statement).execute(db)
    await sql`alter table security_events enable trigger user`.execute(db)
  }
  const metric = async (name: string) => {
    const metrics = await service.services.auth.services.metrics.registry.getMetricsAsJSON()
    return metrics.find((one) => one.name === name)?.values[0]?.value
  }
  return { service, db, clock, token, jobs, run, verify, read, record, tamper, metric }
}

test('LG-1: the daily verification stores its result, and names the first event that was changed', async (t) => {
  const { db, clock, verify, read, record, tamper, metric } = await start(t)
  assert.deepEqual(await read(), { requestedAt: null, verifiedAt: null, entries: 0, fault: null })
  assert.equal(await metric('platen_audit_log_sound'), undefined)
  await record(5)
  const before = clock.now()
  await verify()
  const count = async () => (await sql<{ n: number }>`select count(*) as n from security_events`.execute(db)).rows[0]?.n
  const { verifiedAt, ...sound } = await read()
  assert.deepEqual(sound, { requestedAt: null, entries: await count(), fault: null })
  assert.ok(verifiedAt !== null && verifiedAt >= before)
  assert.equal(await metric('platen_audit_log_sound'), 1)
  assert.equal(await metric('platen_audit_log_verified_timestamp_seconds'), verifiedAt.getTime() / 1000)

  const { rows } = await sql<{ id: string }>`select id from security_events where sequence = 3`.execute(db)
  await tamper(`update security_events set actor = 'system' where sequence in (3, 4)`)
  clock.shift(DAY)
  await verify()
  const fault = { kind: 'changed', sequence: 3, eventId: rows[0]?.id ?? '' }
  const broken = await read()
  assert.deepEqual([broken.entries, broken.fault], [2, fault])
  assert.ok(broken.verifiedAt !== null && broken.verifiedAt > verifiedAt)
  assert.equal(await metric('platen_audit_log_sound'), 0)
})

test('LG-1: the daily verification finds that the newest events are missing since the last one', async (t) => {
  const { db, verify, read, record, tamper } = await start(t)
  await record(3)
  await verify()
  const { entries } = await read()
  await tamper(`delete from security_events where sequence = ${entries}`)
  for (const _day of ['the next day', 'the day after']) {
    await verify()
    assert.deepEqual((await read()).fault, { kind: 'cut_off', sequence: entries, eventId: null })
  }
  // New events in the place of the removed ones have another seal.
  await record(1)
  await verify()
  assert.deepEqual((await read()).fault, { kind: 'other_head', sequence: entries, eventId: null })
  await sql`delete from security_chain_verification`.execute(db)
  await verify()
  assert.equal((await read()).fault, null, 'only the stored head reveals it')
})

test('LG-1: events that are removed after their time, also all of them, are no fault', async (t) => {
  const { clock, run, verify, read, record } = await start(t)
  await record(3)
  await verify()
  clock.shift(401 * DAY)
  await run('auth.prune_events')
  await verify()
  assert.deepEqual([(await read()).entries, (await read()).fault], [0, null])
})

test('an administrator requests a verification, which a job runner performs once', async (t) => {
  const { service, token, jobs, record } = await start(t)
  const read = async () => (await service.request('GET', '/system/status', { token })).body.auditLog
  await record(2)
  const request = (credential: string) =>
    service.request('POST', '/system/audit-log/verify', { token: credential, body: {} })
  const first = await request(token)
  assert.deepEqual([first.status, first.body.pending], [202, true])
  assert.deepEqual((await request(token)).body, first.body)
  const { data } = (await service.request('GET', '/system/jobs?kind=auth.verify_events', { token })).body
  assert.equal(data.length, 1, 'a request that waits is not repeated')
  const { accessToken: operator } = await service.signUp({ role: 'operator' })
  assert.equal((await request(operator)).status, 403)

  const log = createLog({ level: 'silent' })
  const verifying = jobs.filter(({ name }) => name === 'auth.verify_events')
  const runner = startJobRunner(service.services.database, verifying, log)
  t.after(() => runner.stop())
  await until('the verification', async () => (await read()).pending === false)
  const { verifiedAt, entries, fault } = await read()
  assert.equal(fault, null)
  assert.ok(verifiedAt !== null && entries >= 2)
})
