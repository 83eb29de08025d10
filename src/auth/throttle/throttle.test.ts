import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import {
  createDatabase,
  type StartOptions,
  startService,
  type TestResponse,
  type TestService,
} from '../../../test/harness.ts'
import { mailedToken } from '../../../test/people.ts'
import type { HashingClient } from '../passwords/hasher.ts'

const WRONG = 'a wrong password, surely'

async function start(t: TestContext, options: StartOptions = {}): Promise<TestService> {
  // The limit per IP address counts the attempts at all accounts, so only its own test uses the default.
  return startService(t, { ...options, env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '1000', ...options.env } })
}

function login(service: TestService, email: string, password: string, headers: Record<string, string> = {}) {
  return service.request('POST', '/api/auth/login', { body: { email, password }, headers })
}

async function failures(service: TestService, email: string, count: number): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < count; n += 1) statuses.push((await login(service, email, WRONG)).status)
  return statuses
}

test('BF-1: five failures within a minute block the account, also for the right password', async (t) => {
  const service = await start(t)
  const { email, password } = await service.signUp()
  assert.deepEqual(await failures(service, email, 5), [401, 401, 401, 401, 401])
  const blocked = await login(service, email, password)
  assert.equal(blocked.status, 429)
  assert.equal(blocked.body.code, 'login_blocked')
  assert.equal(blocked.body.block, 'temporary')
  assert.match(blocked.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const retryAfter = blocked.headers.get('retry-after') ?? ''
  assert.match(retryAfter, /^\d+$/)
  assert.ok(Number(retryAfter) > 890 && Number(retryAfter) <= 900, retryAfter)
})

test('BF-1: failures more than a minute apart do not add up', async (t) => {
  const service = await start(t)
  const { email, password } = await service.signUp()
  await failures(service, email, 4)
  service.clock.shift(61)
  await failures(service, email, 4)
  assert.equal((await login(service, email, password)).status, 200)
})

test('BF-2: a block ends by itself, and a success resets the count', async (t) => {
  const service = await start(t)
  const { email, password } = await service.signUp()
  await failures(service, email, 5)
  service.clock.shift(901)
  await failures(service, email, 4)
  assert.equal((await login(service, email, password)).status, 200)
  assert.deepEqual(await failures(service, email, 4), [401, 401, 401, 401])
  assert.equal((await login(service, email, password)).status, 200)
})

test('BF-3: the third block within a day lasts a day', async (t) => {
  const service = await start(t)
  const { email, password } = await service.signUp()
  for (const block of ['temporary', 'temporary', 'extended']) {
    await failures(service, email, 5)
    const blocked = await login(service, email, password)
    assert.equal(blocked.body.block, block)
    if (block === 'temporary') service.clock.shift(901)
    else assert.ok(Number(blocked.headers.get('retry-after')) > 86_000)
  }
  service.clock.shift(86_000)
  assert.equal((await login(service, email, password)).status, 429)
  service.clock.shift(401)
  assert.equal((await login(service, email, password)).status, 200)
})

test('BF-3: blocks more than a day apart do not add up', async (t) => {
  const service = await start(t)
  const { email, password } = await service.signUp()
  for (let n = 0; n < 3; n += 1) {
    await failures(service, email, 5)
    assert.equal((await login(service, email, password)).body.block, 'temporary')
    service.clock.shift(86_401)
  }
})

test('BF-4: of fifty concurrent wrong passwords at most five are verified', async (t) => {
  const service = await start(t)
  const { email } = await service.signUp()
  const answers = await Promise.all(Array.from({ length: 50 }, () => login(service, email, WRONG)))
  const statuses = answers.map((answer) => answer.status)
  assert.equal(statuses.filter((status) => status === 401).length, 5)
  assert.equal(statuses.filter((status) => status === 429).length, 45)
})

test('BF-4: every node counts an attempt before verifying it', async (t) => {
  const database = await createDatabase(t)
  const first = await start(t, { database })
  const second = await start(t, { database, dataDir: first.config.dataDir, clock: first.clock })
  const { email } = await first.signUp()
  // One failure and three attempts that other nodes still verify leave room for one of five attempts.
  await failures(first, email, 1)
  await sql`update attempt_pools set in_flight = array_fill(${first.clock.now()}::timestamptz, array[3])
    where pool like 'account:%'`.execute(first.db)
  const answers = await Promise.all([first, second].map((service) => login(service, email, WRONG)))
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [401, 429])
})

test('BF-4: many concurrent right passwords all sign in, one after another', async (t) => {
  const service = await start(t, { env: { PLATEN_LOGIN_ATTEMPTS: '1' }, hashesAtRealCost: true })
  const { email, password } = await service.signUp()
  const answers = await Promise.all(Array.from({ length: 60 }, () => login(service, email, password)))
  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]))
})

test('BF-8: an unknown account is blocked like any other', async (t) => {
  const service = await start(t)
  const email = 'nobody@example.com'
  assert.deepEqual(await failures(service, email, 5), [401, 401, 401, 401, 401])
  const blocked = await login(service, email, WRONG)
  assert.equal(blocked.status, 429)
  assert.equal(blocked.body.block, 'temporary')
})

test('BF-8: an IP that tries many accounts is blocked, others are not', async (t) => {
  const env = { PLATEN_LOGIN_ATTEMPTS_PER_IP: '20', PLATEN_TRUSTED_PROXIES: '127.0.0.1' }
  const service = await start(t, { env })
  const from = (ip: string, n: number) => login(service, `user${n}@example.com`, WRONG, { 'x-forwarded-for': ip })
  const { email, password } = await service.signUp()
  for (let n = 0; n < 19; n += 1) assert.equal((await from('203.0.113.7', n)).status, 401)
  // A sign-in to an account of the attacker does not clear the failures of the IP address.
  assert.equal((await login(service, email, password, { 'x-forwarded-for': '203.0.113.7' })).status, 200)
  assert.equal((await from('203.0.113.7', 19)).status, 401)
  assert.equal((await from('203.0.113.7', 20)).status, 429)
  assert.equal((await from('::ffff:203.0.113.7', 21)).status, 429)
  assert.equal((await from('203.0.113.8', 22)).status, 401)
  assert.equal((await login(service, email, password, { 'x-forwarded-for': '203.0.113.8' })).status, 200)
})

test('BF-7: an attacker does not lock the owner out of a known device', async (t) => {
  const service = await start(t)
  const { email, password } = await service.signUp()
  const other = await service.signUp()
  const cookieOf = async (who: { email: string; password: string }): Promise<string> =>
    (await login(service, who.email, who.password)).headers.get('set-cookie')?.split(';')[0] ?? ''
  const cookie = await cookieOf({ email, password })
  await failures(service, email, 5)
  assert.equal((await login(service, email, password)).status, 429)
  assert.equal((await login(service, email, password, { cookie: await cookieOf(other) })).status, 429)
  assert.equal((await login(service, email, password, { cookie: `${cookie.slice(0, -4)}AAAA` })).status, 429)
  assert.equal((await login(service, email, WRONG, { cookie: `${cookie}x` })).status, 429)
  assert.equal((await login(service, email, password, { cookie })).status, 200)
  assert.equal((await service.request('GET', '/me', { headers: { cookie } })).status, 401, 'the cookie is no sign-in')
  // The device has a separate limit of five attempts.
  for (let n = 0; n < 5; n += 1) assert.equal((await login(service, email, WRONG, { cookie })).status, 401)
  assert.equal((await login(service, email, password, { cookie })).status, 429)
})

test('other anonymous requests of an IP address leave sign-ins and refreshes possible', async (t) => {
  const env = { PLATEN_RATE_LIMITS: 'on', PLATEN_RATE_LIMIT_ANONYMOUS: '3', PLATEN_TRUSTED_PROXIES: 'loopback' }
  const service = await start(t, { env })
  const { email, password, refreshToken } = await service.signUp()
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  const statuses = []
  for (let n = 0; n < 4; n += 1) statuses.push((await service.request('GET', '/products', { headers })).status)
  assert.deepEqual(statuses, [200, 200, 200, 429])
  assert.equal((await login(service, email, password, headers)).status, 200)
  const refreshed = await service.request('POST', '/api/auth/refresh', { body: { refreshToken }, headers })
  assert.equal(refreshed.status, 200, refreshed.text)
})

test('passwords wait in turn by IP address, and those of known devices before others', async (t) => {
  const service = await start(t, { env: { PLATEN_TRUSTED_PROXIES: 'loopback' } })
  const { email, password } = await service.signUp()
  const cookie = (await login(service, email, password)).headers.get('set-cookie')?.split(';')[0] ?? ''
  const { services } = service.services.auth
  const { hasher } = services
  const clients: (HashingClient | undefined)[] = []
  services.hasher = {
    ...hasher,
    verify: (stored, given, client) => {
      clients.push(client)
      return hasher.verify(stored, given, client)
    },
    hashAndCompare: (stored, given, client) => {
      clients.push(client)
      return hasher.hashAndCompare(stored, given, client)
    },
  }
  const from = { 'x-forwarded-for': '2001:db8:1:2::7' }
  await login(service, email, password, { ...from, cookie })
  await login(service, email, password, from)
  await login(service, 'nobody@example.com', password, from)
  const body = { email: 'new@example.com', password: 'gravel tango lighthouse' }
  await service.request('POST', '/api/auth/register', { body, headers: from })
  const ip = '2001:db8:1:2::7'
  const inTurn = clients.map((client) => [client?.ip, client?.account])
  assert.deepEqual(inTurn, [[ip, email], ...Array.from({ length: 3 }, () => [ip, undefined])])
})

test('BF-7: a password reset and a new owner of the email invalidate known devices', async (t) => {
  const service = await start(t)
  const { email, password } = await service.signUp()
  const newPassword = 'another quiet harbour'
  const completeSignIn = (secret: string, cookie = '') => login(service, email, secret, { cookie })
  const cookieIn = ({ headers }: TestResponse): string => headers.get('set-cookie')?.split(';')[0] ?? ''
  const result = await completeSignIn(password)
  const elsewhere = cookieIn(await completeSignIn(password))
  const body = { currentPassword: password, newPassword }
  const token = result.body.accessToken
  const changed = await service.request('POST', '/api/auth/password/change', { token, body })
  await failures(service, email, 5)
  assert.equal((await completeSignIn(newPassword, elsewhere)).status, 429)
  const known = await completeSignIn(newPassword, cookieIn(changed))
  assert.equal(known.status, 200, 'the device on which it was changed stays known')
  const leaving = await service.request('DELETE', '/me', { token: known.body.accessToken })
  assert.equal(leaving.status, 204)
  await service.signUp({ email, password })
  await failures(service, email, 5)
  assert.equal((await completeSignIn(password, cookieIn(known))).status, 429)
})

test('BF-9: a block outlives a restart', async (t) => {
  const database = await createDatabase(t)
  const before = await start(t, { database })
  const { email, password } = await before.signUp()
  await failures(before, email, 5)
  await before.close()
  const after = await start(t, { database, dataDir: before.config.dataDir })
  assert.equal((await login(after, email, password)).status, 429)
})

test('BF-9: an attempt counts even if recording its event fails', async (t) => {
  const service = await start(t)
  const { email, password } = await service.signUp()
  await sql`alter table security_events add constraint away check (type != 'sign_in_failed') not valid`.execute(
    service.db,
  )
  assert.deepEqual(await failures(service, email, 5), [500, 500, 500, 500, 500])
  assert.equal((await login(service, email, password)).status, 429)
  await sql`alter table security_events drop constraint away`.execute(service.db)
  service.clock.shift(890)
  assert.equal((await login(service, email, password)).status, 429)
  service.clock.shift(11)
  assert.equal((await login(service, email, password)).status, 200)
})

test('BF-9: a password reset is possible during a block and lifts it', async (t) => {
  const service = await start(t)
  const { email } = await service.signUp()
  await failures(service, email, 5)
  assert.equal((await service.request('POST', '/api/auth/password/forgot', { body: { email } })).status, 202)
  const token = await mailedToken(service.request, service.origin, email)
  const newPassword = 'gravel tango lighthouse'
  assert.equal(
    (await service.request('POST', '/api/auth/password/reset', { body: { token, newPassword } })).status,
    204,
  )
  assert.equal((await login(service, email, newPassword)).status, 200)
})

test('BF-9: an owner who sets a new password by mail signs in, however often an attacker blocks the account', async (t) => {
  const service = await start(t)
  const { email } = await service.signUp()
  const reset = async (newPassword: string): Promise<string> => {
    // An account gets one such mail in a minute.
    service.clock.shift(61)
    await service.request('POST', '/api/auth/password/forgot', { body: { email } })
    const token = await mailedToken(service.request, service.origin, email)
    const done = await service.request('POST', '/api/auth/password/reset', { body: { token, newPassword } })
    assert.equal(done.status, 204)
    return done.headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  await failures(service, email, 5)
  const earlier = await reset('gravel tango lighthouse')
  const cookie = await reset('another quiet harbour')
  await failures(service, email, 5)
  assert.equal((await login(service, email, 'another quiet harbour')).status, 429)
  assert.equal((await login(service, email, 'another quiet harbour', { cookie: earlier })).status, 429)
  assert.equal((await login(service, email, 'another quiet harbour', { cookie })).status, 200)
  // The mailbox may be in wrong hands, so the owner learns of the sign-in.
  const { rows } = await sql<{ details: unknown }>`select details from security_events where type = 'sign_in'`.execute(
    service.db,
  )
  assert.deepEqual(
    rows.map(({ details }) => (details as { knownDevice: boolean }).knownDevice),
    [false, false],
  )
})

test('waiting confirmations of one account leave the IP address to others, and at most ten wait', async (t) => {
  const service = await start(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '6' } })
  const mallory = await service.signUp()
  const victor = await service.signUp()
  const { services } = service.services.auth
  const { hasher } = services
  const released = Promise.withResolvers<void>()
  services.hasher = {
    ...hasher,
    verify: async (stored, password, client) => {
      if (client?.account === mallory.userId) await released.promise
      return hasher.verify(stored, password, client)
    },
  }
  const body = { currentPassword: mallory.password, newPassword: 'gravel tango lighthouse' }
  const confirm = () => service.request('POST', '/api/auth/password/change', { token: mallory.accessToken, body })
  // Without the limits, the responses would wait for the end of the test.
  const late = () => delay(60_000, undefined, { ref: false })
  const confirming = Array.from({ length: 16 }, confirm)
  try {
    const refused = await Promise.race([...confirming, late()])
    assert.deepEqual([refused?.status, refused?.body.code], [429, 'rate_limited'])
    assert.match(refused?.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await Promise.race([login(service, victor.email, victor.password), late()]))?.status, 200)
  } finally {
    released.resolve()
    await Promise.all(confirming)
  }
})

test('PW-4: a password change needs the current one, and is throttled', async (t) => {
  const service = await start(t)
  const { email, password, accessToken: token } = await service.signUp()
  const change = (currentPassword: string) =>
    service.request('POST', '/api/auth/password/change', {
      token,
      body: { currentPassword, newPassword: 'gravel tango lighthouse' },
    })
  for (let n = 0; n < 5; n += 1) {
    const refused = await change(WRONG)
    assert.equal(refused.status, 422)
    assert.equal(refused.body.code, 'current_password_wrong')
  }
  assert.equal((await change(password)).status, 429)
  assert.equal((await service.request('POST', '/api/auth/step-up', { token, body: { password } })).status, 429)
  // Sign-ins are counted separately.
  assert.equal((await login(service, email, password)).status, 200)
})

test('the former name of the limit for IP addresses works, and the log names the new one', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_ADDRESS: '3' } })
  assert.equal(service.config.login.attemptsPerIp, 3)
  const warning = /PLATEN_LOGIN_ATTEMPTS_PER_ADDRESS was renamed\. Set PLATEN_LOGIN_ATTEMPTS_PER_IP instead\./
  assert.match(service.logLines(), warning)
})
