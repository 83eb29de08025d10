import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { until } from '../../../test/lib/until.ts'
import { startEmbeddedPostgres } from './index.ts'
import { findServer } from './postmaster.ts'
import { findBinaries, prepareLibraries } from './programs/binaries.ts'
import { chooseLaunch, spawnAs } from './programs/launch.ts'
import { isRunning, waitForEnd } from './programs/processes.ts'
import {
  dataDirWithDatabase,
  drafts,
  emptyDataDir,
  onEnd,
  query,
  startServer,
  startService,
} from './testing/service-process.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

test('after the service was killed, the next start stops its server, and committed data is retained', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const service = startService(t, dataDir)
  const { pid: orphan = 0 } = await service.waitFor('up')
  await query(dataDir, 'create table kept as select 42 as answer')
  await service.kill()
  assert.equal(await isRunning(orphan), true)
  const server = await startServer(t, dataDir)
  assert.equal(await isRunning(orphan), false)
  assert.notEqual(server.pid(), orphan)
  assert.deepEqual(await query(dataDir, 'select answer from kept'), [{ answer: 42 }])
})

test('a first start that is killed at any time does not prevent the next start', async (t) => {
  for (const afterMs of [150, 300, 450, 600, 900]) {
    const dataDir = await emptyDataDir(t)
    const service = startService(t, dataDir)
    await delay(afterMs)
    await service.kill()
    const server = await startServer(t, dataDir)
    assert.deepEqual(await query(dataDir, 'select 1 as one'), [{ one: 1 }], `killed after ${afterMs} ms`)
    assert.deepEqual(await drafts(dataDir), [])
    await server.stop()
  }
})

test('a start does not remove the unfinished database folder of another service that is still running', async (t) => {
  const dataDir = await emptyDataDir(t)
  const working = spawn('sleep', ['60'])
  onEnd(t, () => working.kill())
  await mkdir(join(dataDir, `postgres.new-${working.pid}-abcdef`))
  await startServer(t, dataDir)
  assert.deepEqual(await drafts(dataDir), [`postgres.new-${working.pid}-abcdef`])
})

test('a killed server is started again, and the folder stays claimed', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const server = await startServer(t, dataDir)
  await query(dataDir, 'create table kept as select 42 as answer')
  const before = server.pid()
  process.kill(before, 'SIGKILL')
  await until('the loss is noticed', () => !server.isUp())
  await until('the server is up again', () => server.isUp())
  assert.notEqual(server.pid(), before)
  assert.deepEqual(await query(dataDir, 'select answer from kept'), [{ answer: 42 }])
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), { code: 'in_use' })
})

test('the folder is claimed again after the connection with the claim was lost', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const server = await startServer(t, dataDir)
  const before = server.pid()
  const claimants = `select count(*)::int as n from pg_locks where locktype = 'advisory' and granted`
  await query(dataDir, `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'`, 'postgres')
  await until('the claim is held again', async () => {
    const [row] = await query(dataDir, claimants, 'postgres')
    return row?.['n'] === 1 && server.isUp()
  })
  assert.equal(server.pid(), before)
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), { code: 'in_use' })
})

test('stopping during a restart of the server stops it for good', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const server = await startServer(t, dataDir)
  process.kill(server.pid(), 'SIGKILL')
  await until('the loss is noticed', () => !server.isUp())
  await server.stop()
  assert.equal(await findServer(join(dataDir, 'postgres')), undefined)
})

// PostgreSQL refuses to start while these processes run. They run until their statement ends.
test('running processes of a killed server do not prevent the next start', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const service = startService(t, dataDir)
  const { pid: postmaster = 0 } = await service.waitFor('up')
  const client = new pg.Client({ host: join(dataDir, 'postgres'), user: 'platen', database: 'platen' })
  client.on('error', () => undefined)
  await client.connect()
  const busy = client.query('select count(*) from generate_series(1, 1e10::bigint)').catch(() => undefined)
  const backend = (
    await query(dataDir, "select pid from pg_stat_activity where query like '%1e10%' and state = 'active'")
  )[0]
  await service.kill()
  process.kill(postmaster, 'SIGKILL')
  await waitForEnd(postmaster, 2_000)
  assert.equal(await isRunning(Number(backend?.['pid'])), true)
  await startServer(t, dataDir)
  assert.equal(await isRunning(Number(backend?.['pid'])), false)
  await busy
  await client.end().catch(() => undefined)
})

test('files from a crash of the computer do not prevent a start, even if another process has the old process id', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const server = await startServer(t, dataDir)
  await server.stop()
  const cluster = join(dataDir, 'postgres')
  const { uid, gid } = await stat(cluster)
  // The process runs as the user of PostgreSQL, because PostgreSQL ignores processes of other users.
  const other = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {})
  onEnd(t, () => other.kill())
  const lines = [other.pid, cluster, 1_700_000_000, 5432, '.', '', '  1234567    123456', 'ready   ', '']
  await writeFile(join(cluster, 'postmaster.pid'), lines.join('\n'))
  await writeFile(join(cluster, '.s.PGSQL.5432.lock'), `${other.pid}\n`)
  await startServer(t, dataDir)
  assert.equal(await isRunning(other.pid ?? 0), true)
})

test('a start on a folder whose foreign server does not respond is rejected, and that server continues', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const server = await startServer(t, dataDir)
  await server.stop()
  const cluster = join(dataDir, 'postgres')
  const binaries = await findBinaries()
  const launch = await chooseLaunch(dataDir, cluster, binaries, await prepareLibraries(binaries, join(dataDir, 'l')))
  const elsewhere = join(dataDir, 'elsewhere')
  await mkdir(elsewhere)
  await chmod(elsewhere, 0o777)
  const theirs = spawnAs(launch, binaries.postgres, ['-D', cluster, '-k', elsewhere, '-c', 'listen_addresses='], {
    stdio: 'ignore',
  })
  onEnd(t, () => theirs.kill('SIGINT'))
  await until('the other server is up', async () =>
    (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).includes('ready'),
  )
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), /process \d+\. Stop it first/)
  assert.equal(await isRunning(theirs.pid ?? 0), true)
})
