import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { access, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { until } from '../../../test/lib/until.ts'
import { EmbeddedPostgresError, startEmbeddedPostgres } from './index.ts'
import { findServer, stopServer } from './postmaster.ts'
import { isRunning } from './programs/processes.ts'
import { createServerLog } from './server-log.ts'
import { dataDirWithDatabase, emptyDataDir, query, startServer, startService } from './testing/service-process.ts'
import { startTemporaryPostgres } from './testing/temporary.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

test('committed data is on disk, and the server is reachable only through the local file system', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const server = await startServer(t, dataDir, { unsafeForTests: false })
  const pool = new pg.Pool({ ...server.poolConfig, max: 1 })
  // The server may stop before it has noticed the end of the connection.
  pool.on('error', () => undefined)
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses']
  const more = ['server_encoding', 'timezone', 'max_connections', 'shared_buffers']
  const { rows } = await pool.query('select name, current_setting(name) as value from unnest($1::text[]) name', [
    [...names, ...more],
  ])
  assert.deepEqual(Object.fromEntries(rows.map(({ name, value }) => [name, value])), {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    listen_addresses: '',
    server_encoding: 'UTF8',
    timezone: 'UTC',
    max_connections: '60',
    shared_buffers: '64MB',
  })
  assert.equal((await stat(join(dataDir, 'postgres'))).mode & 0o777, 0o700)
  await pool.end()
  // A line of a fault that is none would hide others.
  assert.doesNotMatch(
    await readFile(join(dataDir, 'postgres.log'), 'utf8'),
    /ERROR|FATAL|contains errors|cannot be changed/,
  )
})

test('the role of the service has rights only in its own database', async (t) => {
  const dataDir = await emptyDataDir(t)
  await startServer(t, dataDir, { unsafeForTests: false })
  assert.deepEqual(
    await query(dataDir, 'select rolsuper, rolcreaterole, rolcreatedb from pg_roles where rolname = user'),
    [{ rolsuper: false, rolcreaterole: false, rolcreatedb: false }],
  )
  await assert.rejects(query(dataDir, "copy (select 1) to program 'true'"), { code: '42501' })
  await query(dataDir, 'create schema own; create extension pgcrypto')
})

test('data survives a stop and a start, and only the first start creates the database', async (t) => {
  const dataDir = await emptyDataDir(t)
  const first = await startServer(t, dataDir)
  assert.equal(first.isNew, true)
  await query(dataDir, 'create table kept as select 42 as answer')
  await first.stop()
  assert.equal(await isRunning(first.pid()), false)
  const second = await startServer(t, dataDir)
  assert.equal(second.isNew, false)
  assert.deepEqual(await query(dataDir, 'select answer from kept'), [{ answer: 42 }])
})

test('the connection string and the pool settings lead to the same database', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const server = await startServer(t, dataDir)
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  assert.deepEqual((await client.query('select current_database(), current_user')).rows, [
    { current_database: 'platen', current_user: 'platen' },
  ])
  await client.end()
})

test('a data folder whose path is too long for a Unix socket works, and leaves no link behind', async (t) => {
  const base = await emptyDataDir(t)
  const dataDir = join(base, ...Array.from({ length: 4 }, () => 'a-name-of-forty-characters-to-be-very-deep'))
  const server = await startServer(t, dataDir)
  const client = new pg.Client(server.poolConfig)
  await client.connect()
  assert.deepEqual((await client.query('select 1 as one')).rows, [{ one: 1 }])
  await client.end()
  await server.stop()
  await assert.rejects(access(server.poolConfig.host))
})

test('a second service on the folder is rejected with the name of the first, which continues', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const server = await startServer(t, dataDir)
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), (error) => {
    assert.ok(error instanceof EmbeddedPostgresError)
    assert.equal(error.code, 'in_use')
    assert.ok(error.message.includes(dataDir) && error.message.includes(`process ${process.pid}`), error.message)
    return true
  })
  assert.equal(await isRunning(server.pid()), true)
  assert.deepEqual(await query(dataDir, 'select 1 as one'), [{ one: 1 }])
})

test('if two services create the data folder at the same time, one succeeds and the other is rejected', async (t) => {
  const dataDir = await emptyDataDir(t)
  const outcomes = await Promise.all([1, 2].map(() => startService(t, dataDir).waitFor('up', 'failed')))
  assert.deepEqual(outcomes.map(({ event }) => event).sort(), ['failed', 'up'])
  assert.match(outcomes.find(({ event }) => event === 'failed')?.message ?? '', /already running on the data folder/)
})

test('a server that another process stops before this service claims it is started again', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const stopFirst = async (): Promise<number> => {
    for (;;) {
      const pid = await findServer(join(dataDir, 'postgres'))
      if (pid !== undefined) {
        await stopServer(pid)
        return pid
      }
      await delay(1)
    }
  }
  const [stopped, server] = await Promise.all([stopFirst(), startServer(t, dataDir)])
  assert.notEqual(server.pid(), stopped)
  assert.deepEqual(await query(dataDir, 'select 1 as one'), [{ one: 1 }])
})

test('a folder of another major version is rejected with both versions in the error, and stays unchanged', async (t) => {
  const dataDir = await emptyDataDir(t)
  const cluster = join(dataDir, 'postgres')
  await mkdir(cluster, { mode: 0o700 })
  await writeFile(join(cluster, 'PG_VERSION'), '16\n')
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), (error) => {
    assert.ok(error instanceof EmbeddedPostgresError)
    assert.equal(error.code, 'other_major_version')
    assert.match(error.message, /PostgreSQL 16.*PostgreSQL 18.*platen database upgrade/s)
    return true
  })
  assert.deepEqual(await readdir(cluster), ['PG_VERSION'])
})

test('a folder with files but without a database is not overwritten', async (t) => {
  const dataDir = await emptyDataDir(t)
  await mkdir(join(dataDir, 'postgres'))
  await writeFile(join(dataDir, 'postgres', 'precious'), 'x')
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), /contains files but no PostgreSQL database/)
  assert.equal(await readFile(join(dataDir, 'postgres', 'precious'), 'utf8'), 'x')
})

test('a data folder that cannot be created is an error that names the setting', async (t) => {
  const dataDir = await emptyDataDir(t)
  await writeFile(join(dataDir, 'file'), '')
  await assert.rejects(startEmbeddedPostgres({ dataDir: join(dataDir, 'file', 'data'), log }), /PLATEN_DATA_DIR/)
})

test('the error states why PostgreSQL did not start', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const server = await startServer(t, dataDir)
  await server.stop()
  await writeFile(join(dataDir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n')
  await assert.rejects(
    startEmbeddedPostgres({ dataDir, log }),
    /unrecognized configuration parameter "no_such_setting"/,
  )
})

test('Ctrl-C in the terminal does not reach PostgreSQL before the service stops it', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const server = await startServer(t, dataDir)
  const groupOf = (pid: number) => execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  assert.notEqual(groupOf(server.pid()), groupOf(process.pid))
})

test('a temporary server stops and its folder is removed when its process is killed', async () => {
  const program = `
    const { startTemporaryPostgres } = await import(${JSON.stringify(new URL('testing/temporary.ts', import.meta.url).href)})
    const { dataDir, pid } = await startTemporaryPostgres()
    process.stdout.write(JSON.stringify({ dataDir, pid: pid() }))
    process.kill(process.pid, 'SIGKILL')`
  let output = ''
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  } catch (error) {
    assert.ok(error instanceof Error && 'stdout' in error)
    output = String(error.stdout)
  }
  const { dataDir, pid }: { dataDir: string; pid: number } = JSON.parse(output)
  await until('the removal of the folder', async () => !(await exists(dataDir)))
  await until('the end of the server', async () => !(await isRunning(pid)))
})

test('the role of a temporary server can create databases, and stop removes the folder', async () => {
  const server = await startTemporaryPostgres()
  await query(server.dataDir, 'create database another')
  await server.stop()
  assert.equal(await exists(server.dataDir), false)
})

test('a long server log is moved to a second file, even while the server writes to it', async (t) => {
  const path = join(await emptyDataDir(t), 'postgres.log')
  const serverLog = createServerLog(path)
  await writeFile(path, 'x'.repeat(5 * 1024 * 1024))
  await serverLog.keepSmall()
  assert.equal((await stat(path)).size, 0)
  assert.equal((await stat(`${path}.1`)).size, 5 * 1024 * 1024)
})

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
