import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import test, { type TestContext } from 'node:test'
import { sql } from 'kysely'
import { type StartOptions, startService, type TestService } from '../../../test/harness.ts'

const WRONG = 'a wrong password, surely'

async function start(t: TestContext, options: StartOptions = {}): Promise<TestService> {
  // The limit per IP address counts the attempts at all accounts, so only its own test uses the default.
  return startService(t, { ...options, env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '1000', ...options.env } })
}

function login(service: TestService, email: string, password: string, headers: Record<string, string> = {}) {
  return service.request('POST', '/api/auth/login', { body: { email, password }, headers })
}

/** Sends the path unchanged, which `fetch` would normalize. */
async function sendRaw({ origin }: TestService, path: string, body: object): Promise<number> {
  const { hostname, port } = new URL(origin)
  const options = { hostname, port, path, method: 'POST', headers: { 'content-type': 'application/json' } }
  return new Promise((resolve, reject) => {
    const sent = request(options, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', reject).end(JSON.stringify(body))
  })
}

async function failures(service: TestService, email: string, count: number): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < count; n += 1) statuses.push((await login(service, email, WRONG)).status)
  return statuses
}

test('BF-5: all spellings of an email share one account and counter', async (t) => {
  const service = await start(t)
  const email = `ada.${randomUUID()}@example.com`
  const { password } = await service.signUp({ email })
  const variants = [
    email.toUpperCase(),
    `  ${email}  `,
    email.replace('ada', 'ａｄａ'),
    email.replace('ada', 'ADA'),
    email,
  ]
  for (const variant of variants) assert.equal((await login(service, variant, WRONG)).status, 401)
  assert.equal((await login(service, email, password)).status, 429)
})

test('BF-5: the routes without a version share the counter', async (t) => {
  const service = await start(t)
  const { email } = await service.signUp()
  await failures(service, email, 4)
  const body = { email, password: WRONG }
  assert.equal((await service.request('POST', `${service.origin}/api/auth/login`, { body })).status, 401)
  assert.equal((await login(service, email, WRONG)).status, 429)
})

test('BF-5: all spellings of a path share the counter and the block', async (t) => {
  const service = await start(t)
  const { email, password } = await service.signUp()
  const spellings = ['/v1/api/auth/%6cogin', '/v1/api/auth/login?x=1', '/v1/%61pi/auth/login', '/api/auth/%6Cogin']
  const others = [
    '//v1/api/auth/login',
    '/v1/api/auth/login/',
    '/v1//api/auth/login',
    '/V1/api/auth/login',
    '/v1/./api/auth/login',
  ]
  const send = (path: string, given: string) => sendRaw(service, path, { email, password: given })
  for (const path of others) assert.equal(await send(path, password), 404, path)
  for (const path of [...spellings, '/v1/api/auth/login']) assert.equal(await send(path, WRONG), 401, path)
  for (const path of [...spellings, '/v1/api/auth/login', '/api/auth/login'])
    assert.equal(await send(path, password), 429, path)
})

test('BF-5: all notations of an IP count as one, and an IPv6 /64 too', async (t) => {
  const env = { PLATEN_LOGIN_ATTEMPTS_PER_IP: '3', PLATEN_TRUSTED_PROXIES: '127.0.0.1' }
  const service = await start(t, { env })
  const statuses = async (ips: string[]): Promise<number[]> => {
    const found: number[] = []
    for (const ip of ips) {
      const answer = await login(service, `${randomUUID()}@example.com`, WRONG, { 'x-forwarded-for': ip })
      found.push(answer.status)
    }
    return found
  }
  const four = ['203.0.113.7', '::ffff:203.0.113.7', '::FFFF:cb00:7107', '0:0:0:0:0:ffff:203.0.113.7', '203.0.113.8']
  assert.deepEqual(await statuses(four), [401, 401, 401, 429, 401])
  const six = [
    '2001:db8:1:2::1',
    '2001:0DB8:0001:0002:ffff::9',
    '2001:db8:1:2:a:b:c:d',
    '2001:db8:1:2::77',
    '2001:db8:1:3::1',
  ]
  assert.deepEqual(await statuses(six), [401, 401, 401, 429, 401])
})

test('BF-6: headers of a client do not change its IP for blocks and security events', async (t) => {
  const service = await start(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '4' } })
  const claims = (n: number): Record<string, string> => ({
    'x-forwarded-for': `203.0.113.${n}`,
    forwarded: `for=203.0.113.${n}`,
    'x-real-ip': `203.0.113.${n}`,
    'cf-connecting-ip': `203.0.113.${n}`,
    'true-client-ip': `203.0.113.${n}`,
  })
  const { email, password } = await service.signUp()
  for (let n = 0; n < 4; n += 1)
    assert.equal((await login(service, `user${n}@example.com`, WRONG, claims(n))).status, 401)
  assert.equal((await login(service, email, password, claims(99))).status, 429)
  const { rows } = await sql<{ ip: string }>`
    select distinct personal::json->>'ipAddress' as ip from security_events where type = 'sign_in_failed'`.execute(
    service.db,
  )
  assert.deepEqual(rows, [{ ip: '127.0.0.1' }])
})

test('BF-6: behind a trusted proxy the IP is the one that the proxy saw', async (t) => {
  const env = { PLATEN_LOGIN_ATTEMPTS_PER_IP: '2', PLATEN_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' }
  const service = await start(t, { env })
  const from = (chain: string) =>
    login(service, `${randomUUID()}@example.com`, WRONG, { 'x-forwarded-for': chain, forwarded: 'for=192.0.2.1' })
  assert.equal((await from('198.51.100.1, 203.0.113.7')).status, 401)
  assert.equal((await from('10.1.1.1, 203.0.113.7, 10.9.9.9')).status, 401)
  assert.equal((await from('198.51.100.2, 203.0.113.7')).status, 429)
  assert.equal((await from('203.0.113.7, 198.51.100.1')).status, 401)
  const { rows } = await sql<{ ip: string }>`
    select distinct personal::json->>'ipAddress' as ip from security_events where type = 'sign_in_failed' order by 1`.execute(
    service.db,
  )
  assert.deepEqual(
    rows.map(({ ip }) => ip),
    ['198.51.100.1', '203.0.113.7'],
  )
})
