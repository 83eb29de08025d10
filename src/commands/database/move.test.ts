import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('the embedded database moves to an own one with all records, keys and the order of events', async (t) => {
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
