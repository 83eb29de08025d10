import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { startServiceProcess } from '../../scripts/lib/service-process.ts'
import { connectionsOf, poolOfApi, poolOfMain } from '../../src/commands/processes/connections.ts'
import { createDatabase, temporaryDir } from '../harness.ts'
import { until } from '../lib/until.ts'

const START_MS = 180_000

/** For jobs, heartbeats, revocations, readiness, and two jobs that run now and then. */
const BESIDE_MAIN = 9

const SIZES = { databasePool: 10, processes: 2 }
const REQUESTS = 60

test('the documented connections of nodes are those that the sizes of the pools give', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/DATABASES.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (\d+) cores, (\d+) process(?:es)? \| (\d+) \|$/gm)]
  assert.ok(rows.length > 2)
  for (const [row, cores, processes, documented] of rows) {
    const databasePool = Math.min(30, Math.max(10, 4 * Number(cores)))
    const most = connectionsOf({ databasePool, processes: Number(processes) }) + BESIDE_MAIN
    assert.equal(Number(documented), most, row)
  }
})

test('two API processes whose requests all wait open no more connections than their node may', async (t) => {
  const database = await createDatabase(t)
  const { host, port, user, database: name } = database
  const service = await startServiceProcess(
    {
      PLATEN_DATA_DIR: await temporaryDir(t),
      PLATEN_DATABASE_URL: `postgresql://${user}@/${name}?${new URLSearchParams({ host: String(host), port: String(port) })}`,
      PLATEN_DATABASE_POOL: String(SIZES.databasePool),
      PLATEN_PROCESSES: String(SIZES.processes),
      PLATEN_RATE_LIMITS: 'off',
    },
    START_MS,
  )
  t.after(() => service.child.kill('SIGKILL'))
  const [holder, observer] = [new pg.Client(database), new pg.Client(database)]
  for (const client of [holder, observer]) {
    await client.connect()
    // The database may be dropped before the connection closes.
    client.on('error', () => undefined)
    t.after(() => client.end())
  }
  const most = new Map<string, number>()
  const count = async (): Promise<number> => {
    const { rows } = await observer.query<{ name: string; count: number }>(`
      select application_name as name, count(*)::int from pg_stat_activity
      where datname = current_database() and application_name like 'platen%' group by 1`)
    for (const row of rows) most.set(row.name, Math.max(most.get(row.name) ?? 0, row.count))
    return rows.find((row) => row.name === 'platen')?.count ?? 0
  }
  // All reads of products and all new guests wait for these locks.
  await holder.query('begin; lock table products, users in access exclusive mode')
  let areFull = false
  const requests = Array.from({ length: REQUESTS }, async (_, number) => {
    const [method, path] = number % 2 === 0 ? ['GET', '/v1/products'] : ['POST', '/v1/api/auth/guest']
    const ask = async (): Promise<number> => {
      const answer = await fetch(`${service.origin}${path}`, { method })
      await answer.arrayBuffer()
      // A request that waits for five seconds is refused, which may be before the pools are full.
      return answer.status === 503 && !areFull ? ask() : answer.status
    }
    return ask()
  })
  await until('full pools', async () => (await count()) >= SIZES.processes * poolOfApi(SIZES))
  areFull = true
  for (let looks = 0; looks < 20; looks += 1) await count()
  await holder.query('commit')
  for (const status of await Promise.all(requests)) assert.ok([200, 201, 503].includes(Number(status)), `${status}`)
  await count()
  const of = (application: string): number => most.get(application) ?? 0
  const all = `${JSON.stringify([...most])}`
  assert.ok(of('platen') <= poolOfMain(SIZES) + SIZES.processes * poolOfApi(SIZES), all)
  assert.ok(of('platen revocations') <= 1 + SIZES.processes, all)
  assert.ok(of('platen readiness') <= 1 + SIZES.processes, all)
  assert.ok([...most.values()].reduce((sum, one) => sum + one, 0) <= connectionsOf(SIZES) + BESIDE_MAIN, all)
  t.diagnostic(all)
})
