import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { FastifyRequest, InjectOptions } from 'fastify'
import { anonymousRoute, publicRoute } from './core/guard.ts'
import { createTestApp, TEST_PRINCIPAL } from './factory.ts'
import type { LimitedLookUp } from './rate-limit.ts'
import type { HttpOptions } from './server.ts'

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
  for (let host = 1; host <= 10; host += 1) assert.equal((await open(`2001:db8:1:${host}00::1`))[0], 200)
  assert.equal((await open('2001:db8:1:1100::1'))[0], 429)
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

test('a household with IPv6 reaches its limit of a day, and leaves the rest to its network', async (t) => {
  const open = startApp(t)
  for (let minute = 0; minute < 20; minute += 1) {
    for (let n = 0; n < 4; n += 1) assert.equal((await open(`2001:db8:1:ab0${n}::1`))[0], 200)
    t.mock.timers.tick(MINUTE_MS)
  }
  assert.deepEqual(await open('2001:db8:1:ab07::1'), [429, '"household-day-guest";q=80;w=86400'])
  assert.deepEqual(await open('2001:db8:1:ac00::1'), [200, undefined])
  t.mock.timers.tick(24 * 60 * MINUTE_MS)
  assert.equal((await open('2001:db8:1:ab07::1'))[0], 200)
})

/** Returns a function that requests `/list`, or `/page` with a limit of its own, from an IP address. */
function startPages(t: TestContext, options: Partial<HttpOptions> = {}) {
  const limits = { anonymous: 1, signedIn: 100, links: 2 }
  const authenticate = async ({ headers }: FastifyRequest) =>
    headers.authorization === undefined ? undefined : TEST_PRINCIPAL
  const app = createTestApp({ rateLimits: limits, trustedProxies: ['127.0.0.1'], authenticate, ...options })
  app.get('/page', { onRequest: publicRoute, config: { countedAs: 'links' } }, async () => ({}))
  app.get('/list', { onRequest: publicRoute }, async () => ({}))
  t.after(() => app.close())
  return async (url: string, ip: string, headers = {}) => {
    const response = await app.inject({ url, headers: { host: 'localhost', 'x-forwarded-for': ip, ...headers } })
    return [response.statusCode, response.statusCode === 429 ? response.headers['ratelimit-policy'] : undefined]
  }
}

test('a household with IPv6 has four times the limit of an IP address, and leaves the rest to its network', async (t) => {
  const open = startPages(t)
  const household = (n: number) => `2001:db8:1:ab0${n}::1`
  for (let n = 0; n < 4; n += 1) assert.equal((await open('/list', household(n)))[0], 200)
  for (let n = 4; n < 8; n += 1)
    assert.deepEqual(await open('/list', household(n)), [429, '"household-anonymous";q=4;w=60'])
  // What was refused does not count for the network.
  for (let n = 0; n < 16; n += 1) assert.equal((await open('/list', `2001:db8:1:${n}00::1`))[0], 200)
  assert.deepEqual(await open('/list', '2001:db8:1:ff00::1'), [429, '"network-wide-anonymous";q=20;w=60'])
  // A network of IPv4 has no households.
  for (let n = 0; n < 20; n += 1) assert.equal((await open('/list', `192.0.2.${n}`))[0], 200)
})

test('a household that reaches its limits of links, guests, probes and preflights leaves the rest to its network', async (t) => {
  const rateLimits = { anonymous: 1, signedIn: 1, links: 1, guest: 1 }
  const app = createTestApp({ rateLimits, trustedProxies: ['127.0.0.1'] })
  app.get('/link', { onRequest: publicRoute, config: { countedAs: 'links', limitsNetwork: true } }, async () => ({}))
  app.get('/probe', { onRequest: publicRoute, config: { unlimited: true } }, async () => ({}))
  app.get('/guest', { onRequest: publicRoute, config: { rateLimit: 'guest', limitsNetwork: true } }, async () => ({}))
  t.after(() => app.close())
  const send = async (method: 'GET' | 'OPTIONS', url: string, ip: string) => {
    const headers = { host: 'localhost', 'x-forwarded-for': ip }
    return (await app.inject({ method, url, headers })).statusCode
  }
  for (const [method, url, limit] of [
    ['GET', '/link', 1],
    ['GET', '/guest', 1],
    ['GET', '/probe', 50],
    ['OPTIONS', '/link', 50],
  ] as const) {
    const all = Array.from({ length: 5 * limit }, (_, n) => send(method, url, `2001:db8:1:a0${n % 5}::1`))
    const refused = (await Promise.all(all)).filter((status) => status === 429).length
    assert.equal(refused, limit, url)
    assert.notEqual(await send(method, url, '2001:db8:1:b00::1'), 429, url)
  }
})

test('late refusals are sent in turn, 500 in a second', async (t) => {
  const open = startPages(t)
  for (let n = 0; n < 3; n += 1) await open('/list', '192.0.2.1')
  const startedAt = performance.now()
  const answers = Array.from({ length: 600 }, async () => {
    assert.deepEqual(await open('/list', '192.0.2.1'), [429, '"anonymous";q=1;w=60'])
    return performance.now() - startedAt
  })
  const times = await Promise.all(answers)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  assert.ok(first >= 900 && last >= 2_000, `${first} to ${last} ms`)
})

test('the refusal of a request with a large body does not wait, and ends the connection', async (t) => {
  const app = createTestApp({ rateLimits: { anonymous: 1, signedIn: 1 } })
  app.post('/list', { onRequest: publicRoute }, async () => ({}))
  t.after(() => app.close())
  const send = async (bytes: number) => {
    const startedAt = performance.now()
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const payload = JSON.stringify('x'.repeat(bytes))
    const { statusCode, headers: answer } = await app.inject({ method: 'POST', url: '/list', headers, payload })
    return [statusCode, answer.connection === 'close', performance.now() - startedAt > 900]
  }
  for (let n = 0; n < 3; n += 1) await send(1)
  assert.deepEqual(await send(20_000), [429, true, false])
  assert.deepEqual(await send(10_000), [429, false, true])
})

test('a caller that exceeds a limit is refused before its credential is looked up, and others are not', async (t) => {
  const lookUps = t.mock.fn()
  const authenticate = async ({ headers }: FastifyRequest) => {
    lookUps()
    return headers.authorization === undefined
      ? undefined
      : { ...TEST_PRINCIPAL, credentialId: headers.authorization, userId: headers.authorization }
  }
  const app = createTestApp({ rateLimits: { anonymous: 3, signedIn: 3, links: 3, narrow: 1 }, authenticate })
  app.get('/page', { onRequest: publicRoute, config: { countedAs: 'links' } }, async () => ({}))
  app.get('/list', { onRequest: publicRoute }, async () => ({}))
  app.get('/narrow', { onRequest: publicRoute, config: { rateLimit: 'narrow' } }, async () => ({}))
  t.after(() => app.close())
  const send = async (url: string, authorization?: string) => {
    const credential = authorization === undefined ? {} : { authorization }
    const { statusCode, headers, json } = await app.inject({ url, headers: { host: 'localhost', ...credential } })
    return { status: statusCode, headers, body: json() as { code?: string; instance?: string } }
  }
  for (const [credential, general] of [
    ['Bearer own', 'signedIn'],
    [undefined, 'anonymous'],
  ] as const) {
    for (let n = 0; n < 4; n += 1) await send('/list', credential)
    const before = lookUps.mock.callCount()
    const { status, headers, body } = await send('/list', credential)
    assert.equal(status, 429)
    assert.equal(headers['ratelimit-policy'], `"${general}";q=3;w=60`)
    assert.match(String(headers['ratelimit']), new RegExp(`^"${general}";r=0;t=\\d+$`))
    assert.ok(Number(headers['retry-after']) > 0)
    assert.match(String(headers['content-type']), /^application\/problem\+json/)
    assert.deepEqual([body.code, body.instance], ['rate_limited', '/list'])
    assert.equal(lookUps.mock.callCount(), before)
    // Another limit.
    assert.equal((await send('/page', credential)).status, 200)
  }
  const before = lookUps.mock.callCount()
  assert.equal((await send('/list', 'bearer  own')).status, 429)
  assert.equal(lookUps.mock.callCount(), before)
  assert.equal((await send('/list', 'Bearer other')).status, 200)
  // A narrower limit refuses no other requests.
  for (let n = 0; n < 2; n += 1) await send('/narrow', 'Bearer narrow')
  assert.equal((await send('/narrow', 'Bearer narrow')).status, 429)
  assert.equal((await send('/list', 'Bearer narrow')).status, 200)
})

test('of a network that is refused, few requests with an unknown credential go on, and all with a known one', async (t) => {
  const open = startPages(t)
  for (let n = 0; n < 3; n += 1) await open('/list', '192.0.2.1')
  assert.equal((await open('/list', '192.0.2.1', { authorization: 'Bearer before' }))[0], 200)
  for (let n = 0; n < 2; n += 1) await open('/list', '192.0.2.1')
  const invented = Array.from({ length: 60 }, (_, n) => open('/list', '192.0.2.1', { authorization: `Bearer ${n}` }))
  const statuses = (await Promise.all(invented)).map(([status]) => status)
  const admitted = statuses.filter((status) => status === 200).length
  // At the turn of a second, two seconds count.
  assert.ok(admitted >= 20 && admitted <= 40, String(admitted))
  const first = statuses.indexOf(200)
  for (let n = 0; n < 30; n += 1) {
    assert.equal((await open('/list', '192.0.2.1', { authorization: `Bearer ${first}` }))[0], 200)
  }
})

test('refusals of a network that goes on are late, whichever of its IP addresses sends', async (t) => {
  const open = startPages(t)
  for (let host = 0; host < 40; host += 1) await open('/list', `192.0.2.${host}`)
  const startedAt = performance.now()
  assert.deepEqual(await open('/list', '192.0.2.40'), [429, '"network-wide-anonymous";q=20;w=60'])
  assert.ok(performance.now() - startedAt >= 900)
})

test('all callers of a network without a credential have twenty times the limit of an IP address', async (t) => {
  const open = startPages(t)
  for (const [url, times, policy] of [
    ['/list', 20, '"network-wide-anonymous";q=20;w=60'],
    ['/page', 40, '"network-wide-links";q=40;w=60'],
  ] as const) {
    for (let host = 1; host <= times; host += 1) assert.equal((await open(url, `2001:db8:1:${host}00::1`))[0], 200)
    assert.deepEqual(await open(url, '2001:db8:1:ffff::1'), [429, policy])
    assert.equal((await open(url, '2001:db8:2:ffff::1'))[0], 200)
  }
  assert.equal((await open('/list', '2001:db8:1:fffe::1', { authorization: 'Bearer known' }))[0], 200)
})

test('a header that is no credential does not avoid the blocks of an IP address', async (t) => {
  const lookUps = t.mock.fn(async () => undefined)
  const open = startPages(t, { authenticate: lookUps })
  for (let n = 0; n < 3; n += 1) await open('/page', '192.0.2.1')
  const before = lookUps.mock.callCount()
  const all = Array.from({ length: 100 }, () => open('/page', '192.0.2.1', { authorization: 'x' }))
  assert.ok((await Promise.all(all)).every(([status]) => status === 429))
  // At the turn of a second, those of two seconds are looked up.
  assert.ok(lookUps.mock.callCount() - before <= 40, String(lookUps.mock.callCount()))
})

test('a route that ignores credentials has the limits of IP address, household and network for callers with one', async (t) => {
  const authenticate = async ({ headers: { authorization } }: FastifyRequest) =>
    authorization === undefined
      ? undefined
      : { ...TEST_PRINCIPAL, credentialId: authorization, userId: `usr_${authorization}` }
  const rateLimits = { anonymous: 1, signedIn: 1_000 }
  const app = createTestApp({ rateLimits, trustedProxies: ['127.0.0.1'], authenticate })
  app.post('/register', { onRequest: anonymousRoute }, async ({ principal, context }) => ({
    hasCaller: principal !== undefined,
    network: context.anonymousNetwork,
  }))
  t.after(() => app.close())
  let sent = 0
  const register = async (ip: string) => {
    const headers = { host: 'localhost', 'x-forwarded-for': ip, authorization: `Bearer ${sent++}` }
    const response = await app.inject({ method: 'POST', url: '/register', headers })
    return response.statusCode === 429 ? response.headers['ratelimit-policy'] : response.json()
  }
  const admitted = { hasCaller: false, network: '2001:db8:1::/48' }
  for (let n = 0; n < 4; n += 1) assert.deepEqual(await register(`2001:db8:1:ab0${n}::1`), admitted)
  assert.equal(await register('2001:db8:1:ab00::1'), '"anonymous";q=1;w=60')
  assert.equal(await register('2001:db8:1:ab04::1'), '"household-anonymous";q=4;w=60')
  for (let n = 0; n < 16; n += 1) assert.deepEqual(await register(`2001:db8:1:${n}00::1`), admitted)
  assert.equal(await register('2001:db8:1:ff00::1'), '"network-wide-anonymous";q=20;w=60')
})

/** Returns a function that requests a probe from an IP address, and counts the look-ups of invented credentials. */
function startProbes(t: TestContext) {
  const lookUps = t.mock.fn(async () => undefined)
  const authenticate = ({ headers }: FastifyRequest, lookUp?: LimitedLookUp) =>
    headers.authorization === undefined || lookUp === undefined ? Promise.resolve(undefined) : lookUp(lookUps)
  const rateLimits = { anonymous: 2, signedIn: 1 }
  const app = createTestApp({ rateLimits, trustedProxies: ['127.0.0.1'], authenticate })
  app.get('/probe', { onRequest: publicRoute, config: { unlimited: true } }, async () => ({}))
  t.after(() => app.close())
  const send = async (ip: string, options: InjectOptions = {}) => {
    const headers = { host: 'localhost', 'x-forwarded-for': ip, ...options.headers }
    return (await app.inject({ url: '/probe', ...options, headers })).statusCode
  }
  const invent = (ip: string) => send(ip, { headers: { authorization: 'Bearer invented' } })
  return { send, invent, countLookUps: () => lookUps.mock.callCount() }
}

const ofHousehold = (household: number): string => `2001:db8:1:${household.toString(16)}00::1`

test('invented credentials of a network have twenty times the limit of an IP address, preflights and probes five times', async (t) => {
  const { send, invent, countLookUps } = startProbes(t)
  for (let household = 1; household <= 40; household += 1) await invent(ofHousehold(household))
  assert.equal(countLookUps(), 40)
  assert.equal(await invent(ofHousehold(41)), 429)
  assert.equal(countLookUps(), 40)
  for (const method of ['GET', 'OPTIONS'] as const) {
    const all = Array.from({ length: 501 }, (_, n) => send(ofHousehold(n % 250), { method }))
    const statuses = await Promise.all(all)
    assert.equal(statuses.filter((status) => status === 429).length, method === 'GET' ? 41 : 1, method)
  }
})

test('invented credentials of a household do not keep those of its network from being looked up', async (t) => {
  const { invent, countLookUps } = startProbes(t)
  for (let n = 0; n < 16; n += 1) await invent(`2001:db8:1:ab0${n.toString(16)}::1`)
  assert.equal(countLookUps(), 8)
  for (let household = 1; household <= 40; household += 1) await invent(ofHousehold(household))
  assert.equal(countLookUps(), 40)
})
