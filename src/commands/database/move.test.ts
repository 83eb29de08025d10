import assert from 'node:assert/strict'
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type ServiceProcess, startServiceProcess } from '../../../scripts/lib/service-process.ts'
import { createEmptyDatabase, temporaryDir } from '../../../test/harness.ts'
import { databaseUrl, platen } from '../platen.fixture.ts'

const ADMIN = { email: 'admin@platen.local', password: 'a password of the administrator' }

async function call({ origin }: ServiceProcess, method: string, path: string, token?: string, body?: object) {
  const response = await fetch(`${origin}/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  return { status: response.status, body: (await response.json()) as any }
}

/** Runs what lacks the URL of the new database, such as the entry of a cron job that was not changed. */
async function requireOldUnused(settings: Record<string, string> & { PLATEN_DATA_DIR: string }, t: TestContext) {
  const { PLATEN_DATA_DIR: dataDir } = settings
  const mark = join(dataDir, 'database-moved')
  const target = join(await temporaryDir(t), 'backups')
  const inOther = { ...settings, PLATEN_DATABASE_URL: databaseUrl(await createEmptyDatabase(t)) }
  const refused = async (args: string[], env: Record<string, string> = settings) => {
    const { code, out, err } = await platen(args, env)
    assert.deepEqual([args, code, out.replace(/^Starting PostgreSQL in .*\n/, '')], [args, 1, ''])
    assert.match(
      err,
      /^platen: The database of \S+ was moved to another server at 20\S+Z\. Set PLATEN_DATABASE_URL .*\n$/,
    )
    assert.ok(err.includes(`delete ${mark} to return to the old one`), err)
  }
  const passphrase = { ...settings, PLATEN_BACKUP_PASSPHRASE: 'a passphrase for tests' }
  await refused(['backup', target], passphrase)
  await refused(['backup', 'prune', target, '--keep-last', '1'])
  for (const command of ['serve', 'migrate', 'secret rotate', 'keys rotate', 'storage verify', 'storage collect']) {
    await refused(command.split(' '))
  }
  await refused(['audit', 'verify'])
  await refused(['database', 'upgrade'])
  await refused(['database', 'move'], inOther)
  assert.deepEqual(await readdir(join(target, '..')), [])
  // The old database may be deleted. No command or service creates a new one.
  await rename(join(dataDir, 'postgres'), join(dataDir, 'kept'))
  await refused(['serve'])
  await refused(['backup', target], passphrase)
  await rename(join(dataDir, 'kept'), join(dataDir, 'postgres'))
  await rename(mark, `${mark}-not`)
  const back = await platen(['audit', 'verify'], settings)
  assert.equal(back.code, 0, back.err)
  await rename(`${mark}-not`, mark)
}

test('the embedded database moves to an own one with all records, keys and the order of events, and nothing uses the old one', async (t) => {
  const settings = {
    PLATEN_DATA_DIR: await temporaryDir(t),
    PLATEN_ADMIN_PASSWORD: ADMIN.password,
    PLATEN_PAYMENT_PROVIDER: 'test',
  }
  const moved = { ...settings, PLATEN_DATABASE_URL: databaseUrl(await createEmptyDatabase(t)) }
  const old = await startServiceProcess(settings)
  t.after(() => old.child.kill('SIGKILL'))
  const { accessToken } = (await call(old, 'POST', '/api/auth/login', undefined, ADMIN)).body
  const named = { name: 'move', permissions: ['read', 'write'] }
  const { key } = (await call(old, 'POST', '/api/api-keys', accessToken, named)).body
  const { PLATEN_DATA_DIR } = settings
  const client = (service: ServiceProcess) => ({ PLATEN_DATA_DIR, PLATEN_URL: service.origin, PLATEN_API_KEY: key })
  const ordered = await platen(['trigger', 'order.confirmed'], client(old))
  assert.equal(ordered.code, 0, ordered.err)
  const before = (await call(old, 'GET', '/orders', key)).body

  const early = await platen(['database', 'move'], moved)
  assert.deepEqual([early.code, early.out], [1, ''])
  assert.match(early.err, /The service is running on the embedded database\. Nothing was copied\./)
  await old.stop()
  const done = await platen(['database', 'move'], moved)
  assert.equal(done.code, 0, done.err)
  assert.match(done.out, /Read \d+ rows in \d+ tables\.\nThe database was copied to PLATEN_DATABASE_URL/)
  const again = await platen(['database', 'move'], moved)
  assert.match(again.err, /The database is not empty .* Nothing was changed\./)
  await requireOldUnused(settings, t)

  // Tokens name the origin of the service.
  const service = await startServiceProcess({ ...moved, PLATEN_PORT: new URL(old.origin).port })
  t.after(() => service.child.kill('SIGKILL'))
  assert.deepEqual((await call(service, 'GET', '/orders', key)).body, before)
  // Signed by a key that the secret encrypts.
  assert.equal((await call(service, 'GET', '/me', accessToken)).status, 200)
  const [last] = (await call(service, 'GET', '/events?order=desc&limit=1', key)).body.data
  const later = await platen(['trigger', 'order.created'], client(service))
  assert.equal(later.code, 0, later.err)
  const { body: newer } = await call(service, 'GET', `/events?after=${last.id}`, key)
  assert.deepEqual(
    newer.data.map(({ type }: { type: string }) => type),
    ['design.finalized', 'order.created'],
  )
  await service.stop()
})
