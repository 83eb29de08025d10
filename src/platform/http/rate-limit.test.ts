import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { FastifyRequest, InjectOptions } from 'fastify'
import { publicRoute } from './core/guard.ts'
import { createTestApp, TEST_PRINCIPAL } from './factory.ts'
import type { LimitedLookUp } from './rate-limit.ts'

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

test('all callers of a network without a credential have twenty times the limit of an IP address', async (t) => {
  const limits = { anonymous: 1, signedIn: 100, links: 2 }
  const authenticate = async ({ headers }: FastifyRequest) =>
    headers.authorization === undefined ? undefined : TEST_PRINCIPAL
  const app = createTestApp({ rateLimits: limits, trustedProxies: ['127.0.0.1'], authenticate })
  app.get('/page', { onRequest: publicRoute, config: { countedAs: 'links' } }, async () => ({}))
  app.get('/list', { onRequest: publicRoute }, async () => ({}))
  t.after(() => app.close())
  const open = async (url: string, ip: string, headers = {}) => {
    const response = await app.inject({ url, headers: { host: 'localhost', 'x-forwarded-for': ip, ...headers } })
    return [response.statusCode, response.statusCode === 429 ? response.headers['ratelimit-policy'] : undefined]
  }
  for (const [url, times, policy] of [
    ['/list', 20, '"network-wide-anonymous";q=20;w=60'],
    ['/page', 40, '"network-wide-links";q=40;w=60'],
  ] as const) {
    for (let host = 1; host <= times; host += 1) assert.equal((await open(url, `2001:db8:1:${host}::1`))[0], 200)
    assert.deepEqual(await open(url, '2001:db8:1:ffff::1'), [429, policy])
    assert.equal((await open(url, '2001:db8:2:ffff::1'))[0], 200)
  }
  assert.equal((await open('/list', '2001:db8:1:fffe::1', { authorization: 'Bearer known' }))[0], 200)
})

test('invented credentials of a network have twenty times the limit of an IP address, preflights and probes five times', async (t) => {
  let lookUps = 0
  const authenticate = ({ headers }: FastifyRequest, lookUp?: LimitedLookUp) =>
    headers.authorization === undefined || lookUp === undefined
      ? Promise.resolve(undefined)
      : lookUp(async () => {
          lookUps += 1
          return undefined
        })
  const rateLimits = { anonymous: 2, signedIn: 1 }
  const app = createTestApp({ rateLimits, trustedProxies: ['127.0.0.1'], authenticate })
  app.get('/probe', { onRequest: publicRoute, config: { unlimited: true } }, async () => ({}))
  t.after(() => app.close())
  const send = async (host: number, options: InjectOptions) => {
    const headers = { host: 'localhost', 'x-forwarded-for': `2001:db8:1:${host}::1`, ...options.headers }
    return (await app.inject({ url: '/probe', ...options, headers })).statusCode
  }
  for (let host = 1; host <= 40; host += 1) await send(host, { headers: { authorization: 'Bearer invented' } })
  assert.equal(lookUps, 40)
  assert.equal(await send(41, { headers: { authorization: 'Bearer invented' } }), 429)
  assert.equal(lookUps, 40)
  for (const method of ['GET', 'OPTIONS'] as const) {
    const statuses = await Promise.all(Array.from({ length: 501 }, (_, host) => send(host, { method })))
    assert.equal(statuses.filter((status) => status === 429).length, method === 'GET' ? 41 : 1, method)
  }
})
