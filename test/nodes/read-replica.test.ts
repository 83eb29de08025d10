import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { Registry } from 'prom-client'
import { openDatabase } from '../../src/platform/db/index.ts'
import { migrate } from '../../src/platform/db/migrations/migrate.ts'
import { createReplica } from '../../src/platform/db/reading/replica.ts'
import { startReplica } from '../../src/platform/postgres/testing/replica.ts'
import { startTemporaryPostgres } from '../../src/platform/postgres/testing/temporary.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { startService } from '../harness.ts'
import { urlOf } from '../lib/nodes/database-url.ts'
import { until } from '../lib/until.ts'

const quiet = createLog({ level: 'silent' })

async function startServers(t: TestContext) {
  const primary = await startTemporaryPostgres()
  t.after(() => primary.stop())
  const name = `replicated_${randomUUID().slice(0, 8)}`
  const poolConfig = { ...primary.poolConfig, database: name }
  const client = new pg.Client(primary.poolConfig)
  await client.connect()
  await client.query(`create database ${name}`)
  await client.query(`create database ${name}_other`)
  await client.end()
  const replica = await startReplica(primary)
  t.after(() => replica.stop())
  const urlOfDatabase = (database: string) => urlOf({ ...replica.poolConfig, database })
  return { poolConfig, replica, url: urlOfDatabase(name), urlOfOther: urlOfDatabase(`${name}_other`) }
}

/** Opens a database with a table of marks, and the reads that may run on its replica. */
async function open(t: TestContext) {
  const servers = await startServers(t)
  const { db, close } = openDatabase(servers.poolConfig, quiet)
  t.after(close)
  await sql`create table marks (mark int)`.execute(db)
  const { rows } = await sql<{ name: string }>`select current_setting('cluster_name') as name`.execute(db)
  const primary = rows[0]?.name
  const follow = (url = servers.url) => {
    const registry = new Registry()
    const replica = createReplica({ database: { db }, url, slowStatementMs: 0, log: quiet, registry })
    t.after(() => replica.close())
    const countMarks = () =>
      replica.read(async (from) => {
        const { rows } = await sql<{ marks: number; server: string }>`
          select count(*)::int as marks, current_setting('cluster_name') as server from marks`.execute(from)
        const [{ marks = 0, server = '' } = {}] = rows
        return { marks, isReplica: server !== primary }
      })
    return { replica, countMarks, registry }
  }
  const addMark = () => sql`insert into marks values (1)`.execute(db)
  return { ...servers, db, follow, addMark }
}

test('a read on the replica has what was committed before it', async (t) => {
  const { follow, addMark, replica } = await open(t)
  const { countMarks, registry } = follow()
  // The replica applies each change 50 ms late.
  await replica.run("alter system set recovery_min_apply_delay = '50ms'")
  await replica.run('select pg_reload_conf()')
  for (let marks = 1; marks <= 20; marks += 1) {
    await addMark()
    assert.deepEqual(await countMarks(), { marks, isReplica: true })
  }
  assert.match(await registry.metrics(), /platen_replica_reads_total\{source="replica"\} 20/)
})

test('a read runs on the database while the replica is behind, and on the replica again later', async (t) => {
  const { follow, addMark, replica } = await open(t)
  const { countMarks } = follow()
  await replica.run('select pg_wal_replay_pause()')
  await addMark()
  assert.deepEqual(await countMarks(), { marks: 1, isReplica: false })
  await replica.run('select pg_wal_replay_resume()')
  await until('the replica is used', async () => (await countMarks()).isReplica)
})

test('a read runs on the database if the replica ends, is promoted, or is none', async (t) => {
  const { follow, addMark, replica, poolConfig, urlOfOther } = await open(t)
  await addMark()
  const { countMarks } = follow()
  assert.equal((await countMarks()).isReplica, true)
  assert.deepEqual(await follow(urlOf(poolConfig)).countMarks(), { marks: 1, isReplica: false })
  assert.deepEqual(await follow(urlOfOther).countMarks(), { marks: 1, isReplica: false })
  await replica.run('select pg_promote()')
  assert.deepEqual(await countMarks(), { marks: 1, isReplica: false })
  const { countMarks: countAfterStop } = follow()
  await replica.stop()
  assert.deepEqual(await countAfterStop(), { marks: 1, isReplica: false })
})

test('a replica that does not respond delays a read by at most a second', async (t) => {
  const { follow, addMark, replica } = await open(t)
  await addMark()
  const { countMarks } = follow()
  assert.equal((await countMarks()).isReplica, true)
  await replica.freeze()
  const begin = performance.now()
  assert.deepEqual(await countMarks(), { marks: 1, isReplica: false })
  const tookMs = performance.now() - begin
  await replica.unfreeze()
  assert.ok(tookMs < 5_000, `${tookMs} ms`)
})

test('a read that the database rejects does not run twice', async (t) => {
  const { follow } = await open(t)
  const { replica } = follow()
  let runs = 0
  const read = replica.read((from) => {
    runs += 1
    return sql`select no_such_column from marks`.execute(from)
  })
  await assert.rejects(read, { code: '42703' })
  assert.equal(runs, 1)
})

const STAFF_LISTS = [
  '/orders',
  '/production/orders',
  '/production/statistics',
  '/customers',
  '/users',
  '/security-events',
  '/change-records?subject=product',
  '/system/requests',
]

test('lists and reports of the staff run on the replica', async (t) => {
  const { poolConfig, url } = await startServers(t)
  await migrate(poolConfig, quiet)
  const service = await startService(t, {
    database: poolConfig,
    env: {
      PLATEN_DATABASE_URL: 'postgresql://ignored/platen',
      PLATEN_DATABASE_REPLICA_URL: url,
      PLATEN_REQUEST_LOG: 'on',
    },
  })
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const countReads = async () => {
    const found = /platen_replica_reads_total\{source="replica"\} (\d+)/.exec(await service.metrics.registry.metrics())
    return Number(found?.[1] ?? 0)
  }
  for (const path of STAFF_LISTS) {
    const before = await countReads()
    const { status, text } = await service.request('GET', path, { token })
    assert.equal(status, 200, `${path}: ${text}`)
    assert.equal(await countReads(), before + 1, path)
  }
})
