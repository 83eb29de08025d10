import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startServiceProcess } from '../../../../scripts/lib/service-process.ts'
import { createDatabase, temporaryDir } from '../../../../test/harness.ts'
import { until } from '../../../../test/lib/until.ts'
import { databaseUrl } from '../../../commands/platen.fixture.ts'
import { createRequestContext, runInRequest } from '../../concurrency/request-context.ts'
import { createLog } from '../../telemetry/log.ts'
import { openDatabase } from '../index.ts'
import { createSlowStatements } from './slow-statements.ts'

interface Line {
  msg: string
  statement: string
  durationMs: number
  requestId?: string
  operation?: string
  omitted?: number
}

const logTo = (lines: Line[]) => ({
  warn: (fields: object, msg: string) => void lines.push({ ...(fields as Line), msg }),
})

test('a slow statement is logged without its values, also when it fails, and a fast one is not', async () => {
  const lines: Line[] = []
  let nowMs = 0
  const slow = createSlowStatements({ log: logTo(lines), thresholdMs: 100, now: () => nowMs })
  const takes = (durationMs: number) => async () => {
    nowMs += durationMs
    return durationMs
  }
  assert.equal(await slow.measure('select fast', takes(99)), 99)
  assert.equal(lines.length, 0)
  assert.equal(await slow.measure(`select ${'x'.repeat(5_000)}`, takes(100)), 100)
  const failing = slow.measure('select failing', async () => {
    nowMs += 250
    throw new Error('failed')
  })
  await assert.rejects(failing, /failed/)
  assert.deepEqual(
    lines.map(({ durationMs }) => durationMs),
    [100, 250],
  )
  assert.ok((lines[0]?.statement.length ?? 0) < 2_100)
  assert.equal(slow.count(), 2)
})

test('a minute has at most 20 lines, the next line states how many are omitted, and all are counted', async () => {
  const lines: Line[] = []
  let nowMs = 0
  const slow = createSlowStatements({ log: logTo(lines), thresholdMs: 1, now: () => nowMs })
  const run = () =>
    slow.measure('select 1', async () => {
      nowMs += 1
    })
  for (let index = 0; index < 50; index += 1) await run()
  assert.equal(lines.length, 20)
  nowMs += 60_000
  await run()
  assert.deepEqual([lines.length, lines.at(-1)?.omitted, slow.count()], [21, 30, 51])
})

test('the log of a pool names the request that waited, and no values', async (t) => {
  const database = await createDatabase(t)
  let written = ''
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      written += chunk
      done()
    },
  })
  const pool = openDatabase({ ...database, slowStatementMs: 1 }, createLog({ level: 'warn', destination }))
  t.after(pool.close)
  const value = 'someone@example.com'
  const request = { ...createRequestContext(), requestId: 'request-1', operation: 'getOrder' }
  await runInRequest(request, () => sql`select pg_sleep(0.01), ${value}::text`.execute(pool.db))
  await pool.reads.query({ text: 'select pg_sleep(0.01), $1::text', values: [value] })
  const lines = written.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
  assert.deepEqual(
    lines.map(({ msg, statement, requestId, operation }) => ({ msg, statement, requestId, operation })),
    [
      {
        msg: 'slow statement',
        statement: 'select pg_sleep(0.01), $1::text',
        requestId: 'request-1',
        operation: 'getOrder',
      },
      {
        msg: 'slow statement',
        statement: 'select pg_sleep(0.01), $1::text',
        requestId: undefined,
        operation: undefined,
      },
    ],
  )
  assert.ok(!written.includes(value))
  assert.equal(pool.load().slowStatements, 2)
})

test('the service logs a slow statement with the request that waited for it, and never its values', async (t) => {
  const database = await createDatabase(t)
  const service = await startServiceProcess({
    PLATEN_DATABASE_URL: databaseUrl(database),
    PLATEN_DATA_DIR: await temporaryDir(t),
    PLATEN_RATE_LIMITS: 'off',
    PLATEN_SLOW_STATEMENT_MS: '200',
  })
  t.after(() => service.child.kill('SIGKILL'))
  const { db, close } = openDatabase(database, createLog({ level: 'silent' }))
  t.after(close)
  const email = 'someone-slow@example.com'
  const login = await db.transaction().execute(async (trx) => {
    await sql`lock table users in access exclusive mode`.execute(trx)
    const sent = fetch(`${service.origin}/v1/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'a quiet lake at dusk' }),
    })
    // Jobs wait for the table too.
    await until('the request to wait for the table longer than that', async () => {
      const { rows } = await sql`select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%"email" = $1%' and clock_timestamp() - query_start > interval '300 ms'`.execute(
        db,
      )
      return rows.length > 0
    })
    return { sent }
  })
  const requestId = (await login.sent).headers.get('x-request-id')
  const find = (): Line | undefined => {
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.includes('"slow statement"'))
    return lines.map((line) => JSON.parse(line) as Line).find((line) => line.requestId === requestId)
  }
  await until('the log to name the request', () => find() !== undefined)
  assert.equal(find()?.operation, 'login')
  assert.ok(!service.output().includes(email))
})
