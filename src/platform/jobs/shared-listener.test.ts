import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { createDatabase } from '../../../test/harness.ts'
import { openDatabase } from '../db/index.ts'
import { createLog } from '../telemetry/log.ts'
import { enqueue, startJobRunner } from './jobs.ts'
import { withSharedListener } from './shared-listener.ts'

const log = createLog({ level: 'silent' })
/** No heartbeat tells the runners of a job during a test, so only a notification does. */
const NO_BEAT = { beatMs: 600_000, lostAfterMs: 1_200_000 }
const APPLICATION = 'platen test listener'

async function open(t: TestContext, settings: { max?: number } = {}) {
  const config = await createDatabase(t)
  const database = openDatabase({ ...config, application_name: APPLICATION, max: 6, ...settings }, log)
  t.after(() => database.close())
  const observer = openDatabase({ ...config, max: 1 }, log)
  t.after(() => observer.close())
  const listening = async (): Promise<number[]> => {
    const { rows } = await observer.pool.query<{ pid: number }>(
      'select pid from pg_stat_activity where application_name = $1 and query like $2',
      [APPLICATION, 'LISTEN%'],
    )
    return rows.map(({ pid }) => pid)
  }
  return { database, observer, listening }
}

interface Hearer {
  client: pg.PoolClient
  release: () => Promise<unknown>
}

/** Listens as the library does. */
async function listen(pool: pg.Pool): Promise<Hearer> {
  const { promise, resolve, reject } = Promise.withResolvers<Hearer>()
  const connect = pool.connect.bind(pool) as (
    connected: (error: Error | undefined, client: pg.PoolClient, release: () => Promise<unknown>) => void,
  ) => void
  connect((error, client, release) => (error === undefined ? resolve({ client, release }) : reject(error)))
  const hearer = await promise
  await hearer.client.query('LISTEN "jobs:insert"')
  return hearer
}

test('the runners of a process hear of new jobs with one connection, also after it was lost', async (t) => {
  const { database, observer, listening } = await open(t)
  const names = ['plain', 'heavy', 'mail', 'drawn'] as const
  const done = new Map<string, () => void>()
  const jobs = names.map((name) => ({
    name,
    isHeavy: name === 'heavy',
    isDelivery: name === 'mail' || name === 'drawn',
    isDrawn: name === 'drawn',
    handle: async () => done.get(name)?.(),
  }))
  const runner = startJobRunner(database, jobs, log, NO_BEAT)
  t.after(() => runner.stop())
  const runAll = async () => {
    const all = names.map((name) => new Promise<void>((resolve) => done.set(name, resolve)))
    for (const name of names) await enqueue(observer.db, name, {})
    await Promise.all(all)
  }
  // A runner looks for jobs when it starts. Later ones need a notification.
  await runAll()
  await runAll()
  const [pid, ...others] = await listening()
  assert.deepEqual([pid !== undefined, others], [true, []])

  await observer.pool.query('select pg_terminate_backend($1)', [pid])
  for (;;) {
    const [next] = await listening()
    if (next !== undefined && next !== pid) break
    await delay(20)
  }
  await runAll()
})

test('a runner that stops leaves the notifications of the others, and the last one frees the connection', async (t) => {
  const { database } = await open(t, { max: 1 })
  const pool = withSharedListener(database.pool)
  const [first, second] = await Promise.all([listen(pool), listen(pool)])
  await first.client.query('UNLISTEN "jobs:insert"')
  await first.release()
  const heard = once(second.client, 'notification')
  await second.client.query(`select pg_notify('jobs:insert', 'x')`)
  assert.equal((await heard)[0].payload, 'x')

  await second.release()
  const { rows } = await pool.query('select count(*) from pg_listening_channels()')
  assert.deepEqual(rows, [{ count: 0 }])
  // The connection can be shared again.
  const third = await listen(pool)
  await third.release()
})

test('an error of the connection reaches each runner, and does not end the process while one leaves', async (t) => {
  const { database, observer, listening } = await open(t)
  const pool = withSharedListener(database.pool)
  const [first, second] = await Promise.all([listen(pool), listen(pool)])
  const failed = once(first.client, 'error')
  await observer.pool.query('select pg_terminate_backend($1)', await listening())
  assert.match(String((await failed)[0]), /terminat/i)
  await Promise.all([first.release(), second.release()])
  const again = await listen(pool)
  assert.equal((await listening()).length, 1)
  await again.release()
})
