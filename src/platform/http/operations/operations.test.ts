import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { createDatabase } from '../../../../test/harness.ts'
import { openDatabase } from '../../db/index.ts'
import { createProbe } from '../../db/probe.ts'
import { createLog } from '../../telemetry/log.ts'
import { createTestApp } from '../factory.ts'
import { addHealthRoutes, loopbackOnly } from './operations.ts'
import { createReadiness } from './readiness.ts'

function createApp() {
  return createTestApp({ trustedProxies: ['127.0.0.1'] })
}

/**
 * Starts a service with one page for developers. Returns a function that requests the page with given headers and
 * returns the status.
 */
async function startApp(t: TestContext, publicName = 'platen.localhost') {
  const app = createApp()
  app.get('/secret', { onRequest: loopbackOnly(publicName) }, async () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  const address = app.server.address()
  assert.ok(address !== null && typeof address === 'object')
  return async (headers: Record<string, string>) => {
    // Unlike `fetch`, `request` allows setting the Host header.
    const sent = request({ host: '127.0.0.1', port: address.port, path: '/secret', headers }).end()
    const [response] = await once(sent, 'response')
    response.resume()
    return response.statusCode
  }
}

test('pages for local developers give 404 for forwarded requests', async (t) => {
  const statusOf = await startApp(t)
  assert.equal(await statusOf({}), 200)
  const added = ['Forwarded', 'Via', 'X-Real-IP', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto']
  for (const name of [...added, 'CF-Connecting-IP', 'CF-Ray'])
    assert.equal(await statusOf({ [name]: '127.0.0.1' }), 404, name)
})

test('pages for local developers give 404 for requests from pages of other sites', async (t) => {
  const statusOf = await startApp(t)
  for (const site of ['same-origin', 'none']) assert.equal(await statusOf({ 'Sec-Fetch-Site': site }), 200, site)
  for (const site of ['cross-site', 'same-site', 'unknown'])
    assert.equal(await statusOf({ 'Sec-Fetch-Site': site }), 404, site)
})

test('pages for local developers give 404 if the public URL names another host', async (t) => {
  for (const name of ['localhost', 'shop.localhost', '127.0.0.1', '127.1.2.3', '[::1]']) {
    assert.equal(await (await startApp(t, name))({}), 200, name)
  }
  for (const name of ['platen.test', 'localhost.evil.example', '10.0.0.1', '127.0.0.1.nip.io', '[2001:db8::1]']) {
    assert.equal(await (await startApp(t, name))({}), 404, name)
  }
})

test("pages for local developers give 404 for another site's page whose host name resolves to this machine", async (t) => {
  const statusOf = await startApp(t)
  for (const host of ['127.0.0.1:8080', '[::1]:8080', 'localhost', 'LOCALHOST:8080', 'shop.localhost'])
    assert.equal(await statusOf({ host }), 200, host)
  for (const host of [
    'platen.test:1',
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    'evillocalhost',
    '127.0.0.1.nip.io',
  ])
    assert.equal(await statusOf({ host }), 404, host)
})

test('a storage that does not respond makes the service unready within seconds', async (t) => {
  const database = openDatabase({ ...(await createDatabase(t)), max: 1 }, createLog({ level: 'silent' }))
  t.after(() => database.close())
  const app = createApp()
  t.after(() => app.close())
  const storage = { check: () => new Promise<void>(() => undefined), requireFree: async () => undefined }
  addHealthRoutes(app, createReadiness({ database: createProbe(database), storage }))
  const answer = await app.inject('/health/ready')
  assert.deepEqual([answer.statusCode, answer.json().code], [503, 'storage_unavailable'])
  assert.equal(answer.headers['retry-after'], '10')
})
