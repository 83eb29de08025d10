import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { publicRoute } from './core/guard.ts'
import { createTestApp } from './factory.ts'

const MINUTE_MS = 60_000

/** Returns a function that opens a guest from an IP address, where each address may open one a minute. */
function startApp(t: TestContext) {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const limits = { anonymous: 10_000, signedIn: 1, guest: 1 }
  const app = createTestApp({ rateLimits: limits, trustedProxies: ['127.0.0.1'] })
  const config = { rateLimit: 'guest', limitsNetwork: true }
  app.post('/guests', { onRequest: publicRoute, config }, async () => ({}))
  t.after(() => app.close())
  return async (ip: string) => {
    const { statusCode, headers } = await app.inject({
      method: 'POST',
      url: '/guests',
      headers: { host: 'localhost', 'x-forwarded-for': ip },
    })
    return [statusCode, statusCode === 429 ? headers['ratelimit-policy'] : undefined]
  }
}

test('the IP addresses of a network together have ten times the limit of one', async (t) => {
  const open = startApp(t)
  for (let host = 1; host <= 10; host += 1) assert.deepEqual(await open(`192.0.2.${host}`), [200, undefined])
  assert.deepEqual(await open('192.0.2.1'), [429, '"guest";q=1;w=60'])
  assert.deepEqual(await open('192.0.2.11'), [429, '"network-guest";q=10;w=60'])
  assert.deepEqual(await open('192.0.3.11'), [200, undefined])
  for (let host = 1; host <= 10; host += 1) assert.equal((await open(`2001:db8:1:${host}::1`))[0], 200)
  assert.equal((await open('2001:db8:1:11::1'))[0], 429)
  assert.equal((await open('2001:db8:2:11::1'))[0], 200)
})

test('links without a credential are limited for the whole network too', async (t) => {
  const app = createTestApp({ rateLimits: { anonymous: 1, signedIn: 1, links: 2 }, trustedProxies: ['127.0.0.1'] })
  app.get('/link', { onRequest: publicRoute, config: { countedAs: 'links', limitsNetwork: true } }, async () => ({}))
  t.after(() => app.close())
  const open = async (ip: string) =>
    (await app.inject({ url: '/link', headers: { host: 'localhost', 'x-forwarded-for': ip } })).statusCode
  for (let n = 0; n < 20; n += 1) assert.equal(await open(`192.0.2.${n % 10}`), 200)
  assert.equal(await open('192.0.2.11'), 429)
  assert.equal(await open('192.0.3.11'), 200)
})

test('the IP addresses of a network reach their limit in twenty minutes of a day', async (t) => {
  const open = startApp(t)
  for (let minute = 0; minute < 20; minute += 1) {
    for (let host = 1; host <= 10; host += 1) assert.equal((await open(`192.0.2.${host}`))[0], 200)
    t.mock.timers.tick(MINUTE_MS)
  }
  assert.deepEqual(await open('192.0.2.1'), [429, '"network-day-guest";q=200;w=86400'])
  t.mock.timers.tick(24 * 60 * MINUTE_MS)
  assert.equal((await open('192.0.2.1'))[0], 200)
})
