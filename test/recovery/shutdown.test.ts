import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { type ServiceProcess, startServiceProcess } from '../../scripts/lib/service-process.ts'
import { openDatabase } from '../../src/platform/db/index.ts'
import { enqueue } from '../../src/platform/jobs/jobs.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { createDatabase } from '../harness.ts'
import { until } from '../lib/until.ts'

async function startOnDatabase(t: TestContext, env: Record<string, string>) {
  const poolConfig = await createDatabase(t)
  const { host, port, user, database } = poolConfig
  const query = new URLSearchParams({ host: String(host), port: String(port) })
  const PLATEN_DATABASE_URL = `postgresql://${user}@/${database}?${query}`
  const service = await startServiceProcess({ PLATEN_DATABASE_URL, PLATEN_RATE_LIMITS: 'off', ...env })
  t.after(() => service.child.kill('SIGKILL'))
  const beside = openDatabase({ ...poolConfig, max: 2 }, createLog({ level: 'silent' }))
  t.after(() => beside.close())
  return { service, db: beside.db }
}

/** Sends bytes and reads no part of the response. */
async function sendWithoutReading(t: TestContext, { origin }: ServiceProcess, text: string): Promise<void> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.on('error', () => undefined)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  await new Promise((resolve) => socket.write(text, resolve))
}

const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.status
    },
    () => 0,
  )

test('on SIGTERM the service is no longer ready, and still serves requests for PLATEN_SHUTDOWN_DELAY', async (t) => {
  const { service } = await startOnDatabase(t, { PLATEN_SHUTDOWN_DELAY: '10' })
  const { origin, child } = service
  const exited = once(child, 'exit')
  const toldAtMs = performance.now()
  child.kill('SIGTERM')
  await until('readiness fails', async () => (await statusOf(`${origin}/health/ready`)) === 503)
  const unready = await fetch(`${origin}/health/ready`)
  assert.deepEqual([unready.status, unready.headers.get('retry-after')], [503, '10'])
  await unready.arrayBuffer()
  const answer = await fetch(`${origin}/v1/products`)
  assert.deepEqual([answer.status, answer.headers.get('connection')], [200, 'close'])
  await answer.arrayBuffer()
  assert.equal(await statusOf(`${origin}/health/live`), 200)
  const [code] = await exited
  assert.equal(code, 0)
  assert.ok(performance.now() - toldAtMs >= 10_000)
})

test('if any part hangs, the shutdown takes at most 30 s, and an interrupted job is released immediately', async (t) => {
  const { service, db } = await startOnDatabase(t, { PLATEN_SHUTDOWN_DELAY: '1' })
  await sql`create function hang() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return null; end $$`.execute(
    db,
  )
  await sql`create trigger hang before delete on idempotency_keys execute function hang()`.execute(db)
  await enqueue(db, 'idempotency.prune', {})
  await until('the job hangs', async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`.execute(db)
    return rows.length > 0
  })
  const head = 'Host: localhost\r\nContent-Type: application/json\r\n'
  // The first client sends an upload that makes no progress. The second client does not read.
  await sendWithoutReading(t, service, `POST /v1/api/auth/login HTTP/1.1\r\n${head}Content-Length: 1000\r\n\r\n{`)
  await sendWithoutReading(t, service, `GET /v1/openapi.json HTTP/1.1\r\n${head}\r\n`.repeat(100))
  const lockedJobs = async () =>
    (await sql`select from graphile_worker.jobs where locked_by is not null`.execute(db)).rows.length
  assert.equal(await lockedJobs(), 1)
  const toldAtMs = performance.now()
  assert.equal(await service.stop(), 0)
  assert.ok(performance.now() - toldAtMs < 30_000)
  assert.equal(await lockedJobs(), 0)
})
