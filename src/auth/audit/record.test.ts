import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { decodeJwt } from 'jose'
import { Secret, TOTP } from 'otpauth'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { mailedToken, type SignedUp } from '../../../test/people.ts'
import { SECURITY_EVENT_TYPES } from './events.ts'

const AGENT = 'a browser of 1999'
const WRONG = 'a wrong password, surely'

interface Event {
  id: string
  type: string
  result: string
  createdAt: string
  method: string | null
  sessionId: string | null
  ipAddress: string | null
  userAgent: string | null
  actor: string | null
  userId?: string | null
  details: Record<string, unknown>
}

function post(service: TestService, path: string, body: unknown, token?: string): Promise<TestResponse> {
  const headers = { 'user-agent': AGENT }
  return service.request('POST', path, { body, headers, ...(token === undefined ? {} : { token }) })
}

/** Lists the caller's own events of a type, newest first. */
async function own(service: TestService, token: string, type?: string): Promise<Event[]> {
  const query = type === undefined ? '' : `&type=${type}`
  const { status, body, text } = await service.request('GET', `/me/security-events?limit=100${query}`, { token })
  assert.equal(status, 200, text)
  return body.data
}

async function newest(service: TestService, token: string, type: string): Promise<Event> {
  const [event] = await own(service, token, type)
  assert.ok(event, `${type} was not recorded`)
  return event
}

async function all(service: TestService, token: string, query: string): Promise<Event[]> {
  const { status, body, text } = await service.request('GET', `/security-events?limit=100&${query}`, { token })
  assert.equal(status, 200, text)
  return body.data
}

async function logIn(service: TestService, { email, password }: Pick<SignedUp, 'email' | 'password'>) {
  return (await post(service, '/api/auth/login', { email, password })).body
}

const sessionOf = (token: string): string => String(decodeJwt(token)['sid'])

test('LG-1: session events are recorded with time, actor, session, client and result', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '1000' } })
  const who = await service.register()
  const { email, password } = who
  const { accessToken: token, refreshToken } = await logIn(service, who)
  const session = sessionOf(token)
  const began = service.clock.now().getTime()

  const signIn = await newest(service, token, 'sign_in')
  const { id, createdAt, ...said } = signIn
  assert.match(id, /^aud_/)
  assert.match(createdAt, /^\d{4}-.*Z$/)
  assert.ok(Math.abs(new Date(createdAt).getTime() - began) < 60_000)
  assert.deepEqual(said, {
    type: 'sign_in',
    result: 'success',
    method: 'password',
    sessionId: session,
    ipAddress: '127.0.0.1',
    userAgent: AGENT,
    actor: 'you',
    details: { knownDevice: false, amr: 'pwd' },
  })
  const kinds = (await own(service, token)).map(({ type }) => type)
  assert.deepEqual(kinds, ['sign_in', 'sign_in', 'email_verified', 'sign_up'])
  assert.equal((await newest(service, token, 'sign_up')).actor, 'unknown')

  await post(service, '/api/auth/register', { email, password: `another ${randomUUID()}` })
  const repeated = await newest(service, token, 'sign_up_repeated')
  assert.deepEqual([repeated.result, repeated.actor, repeated.userAgent], ['failure', 'unknown', AGENT])

  await post(service, '/api/auth/login', { email, password: WRONG })
  const failed = await newest(service, token, 'sign_in_failed')
  assert.deepEqual([failed.result, failed.actor, failed.sessionId], ['failure', 'unknown', null])

  const renewed = await post(service, '/api/auth/refresh', { refreshToken })
  await post(service, '/api/auth/refresh', { refreshToken })
  const refreshes = await own(service, token, 'refresh')
  assert.deepEqual(
    refreshes.map((event) => [event.sessionId, event.actor, event.userAgent, event.details]),
    [
      [session, 'you', AGENT, { repeated: true }],
      [session, 'you', AGENT, {}],
    ],
  )

  await post(service, '/api/auth/step-up', { password: WRONG }, token)
  const refused = await newest(service, token, 'step_up_failed')
  assert.deepEqual([refused.result, refused.sessionId], ['failure', session])
  await post(service, '/api/auth/step-up', { password }, token)
  assert.deepEqual((await newest(service, token, 'step_up')).sessionId, session)

  const other = await logIn(service, who)
  await service.request('DELETE', `/api/auth/sessions/${sessionOf(other.accessToken)}`, { token })
  const revoked = await newest(service, token, 'session_revoked')
  assert.deepEqual([revoked.sessionId, revoked.details], [session, { session: sessionOf(other.accessToken) }])
  await service.request('POST', '/api/auth/sessions/revoke-others', { token })
  assert.deepEqual((await newest(service, token, 'session_revoked')).details, { sessions: 1 })

  const second = await logIn(service, who)
  for (let n = 0; n < 2; n += 1) await service.request('POST', '/api/auth/logout', { token: second.accessToken })
  const left = await own(service, token, 'sign_out')
  assert.deepEqual(
    left.map((event) => event.sessionId),
    [sessionOf(second.accessToken)],
    'the repetition ended nothing',
  )

  service.clock.shift(11)
  assert.equal((await post(service, '/api/auth/refresh', { refreshToken })).status, 401)
  assert.equal((await post(service, '/api/auth/refresh', { refreshToken: renewed.body.refreshToken })).status, 401)
  const { accessToken: last } = await logIn(service, who)
  const thefts = await own(service, last, 'refresh_reuse')
  assert.deepEqual(
    thefts.map((event) => [event.sessionId, event.actor, event.result]),
    [[session, 'unknown', 'failure']],
  )
})

test('LG-1: blocks, their ends, and password changes are recorded', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '1000' } })
  const who = await service.register()
  const { email } = who
  const fail = async (): Promise<void> => {
    for (let n = 0; n < 5; n += 1) await post(service, '/api/auth/login', { email, password: WRONG })
  }
  await fail()
  service.clock.shift(901)
  let { accessToken: token } = await logIn(service, who)
  const started = await newest(service, token, 'block_started')
  assert.deepEqual(
    [started.actor, started.details['pool'], started.details['block']],
    ['system', 'account', 'temporary'],
  )
  const expired = await newest(service, token, 'block_ended')
  assert.deepEqual([expired.actor, expired.details['reason'], expired.ipAddress], ['system', 'expired', null])

  const newPassword = 'gravel tango lighthouse'
  const changed = await post(
    service,
    '/api/auth/password/change',
    { currentPassword: who.password, newPassword },
    token,
  )
  assert.equal(changed.status, 204, changed.text)
  const change = await newest(service, token, 'password_changed')
  assert.deepEqual([change.actor, change.sessionId, change.details], ['you', sessionOf(token), { sessions: 1 }])

  await fail()
  await post(service, '/api/auth/password/forgot', { email })
  await post(service, '/api/auth/password/forgot', { email: 'nobody@example.com' })
  const password = 'another lighthouse tango'
  const reset = await mailedToken(service.request, service.origin, email)
  await post(service, '/api/auth/password/reset', { token: reset, newPassword: password })
  token = (await logIn(service, { email, password })).accessToken
  assert.deepEqual((await newest(service, token, 'password_reset_requested')).actor, 'unknown')
  assert.deepEqual((await newest(service, token, 'password_reset')).details, { sessions: 1 })
  const lifted = await newest(service, token, 'block_ended')
  assert.deepEqual(
    [lifted.actor, lifted.details['reason'], lifted.details['pool']],
    ['you', 'password_reset', 'account'],
  )
})

test('LG-1, AK-5: changes of API keys are recorded, and use of a revoked one once an hour', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.register()
  const created = await post(service, '/api/api-keys', { name: 'x', permissions: ['read', 'designs:write'] }, token)
  const { id, key } = created.body
  const creation = await newest(service, token, 'api_key_created')
  assert.deepEqual(creation.details, { key: id, permissions: 'read designs:write' })
  assert.equal(creation.sessionId, sessionOf(token))
  const rotated = await post(service, `/api/api-keys/${id}/rotate`, { overlapSeconds: 60 }, token)
  assert.deepEqual((await newest(service, token, 'api_key_rotated')).details, { key: id, overlapSeconds: 60 })

  const use = (secret: string) =>
    service.request('GET', '/designs', { token: secret, headers: { 'user-agent': AGENT } })
  const misuses = (): Promise<Event[]> => own(service, token, 'api_key_used_after_end')
  assert.equal((await use(key)).status, 200)
  assert.deepEqual(await misuses(), [])
  service.clock.shift(61)
  for (let n = 0; n < 3; n += 1) assert.equal((await use(key)).status, 401)
  await until('the record', async () => (await misuses()).length > 0)
  const [first, ...more] = await misuses()
  assert.deepEqual(
    [first?.actor, first?.result, first?.details, first?.userAgent],
    ['unknown', 'failure', { key: id }, AGENT],
  )
  assert.deepEqual(more, [])
  await service.request('DELETE', `/api/api-keys/${id}`, { token })
  assert.deepEqual((await newest(service, token, 'api_key_revoked')).details, { key: id })
  assert.equal((await use(rotated.body.key)).status, 401)
  service.clock.shift(3601)
  assert.equal((await use(rotated.body.key)).status, 401)
  await service.close()
  const { rows } = await service.services.database.pool.query(
    `select 1 from security_events where type = 'api_key_used_after_end'`,
  )
  assert.equal(rows.length, 2)
})

test('LG-1: changes of second factors and of the email are recorded', async (t) => {
  const service = await startService(t)
  const who = await service.register()
  const token = who.accessToken
  const enabled = (await post(service, '/api/auth/mfa/enable', {}, token)).body
  const totp = new TOTP({ secret: Secret.fromBase32(enabled.secret) })
  const codeAt = (steps: number): string => totp.generate({ timestamp: service.clock.now().getTime() + steps * 30_000 })
  const confirmed = await post(service, '/api/auth/mfa/confirm', { factorId: enabled.factorId, code: codeAt(0) }, token)
  assert.equal(confirmed.status, 200, confirmed.text)
  const { mfaToken } = await logIn(service, who)
  await post(service, '/api/auth/mfa/verify', { mfaToken, method: 'recovery_code', code: 'aaaa-aaaa-aaaa-aaaa' })
  const code = confirmed.body.recoveryCodes[0]
  const verified = await post(service, '/api/auth/mfa/verify', { mfaToken, method: 'recovery_code', code })
  assert.equal(verified.status, 200, verified.text)
  await post(service, '/api/auth/mfa/recovery-codes', undefined, token)
  const newEmail = `${randomUUID()}@example.com`
  await post(service, '/api/auth/email/change', { newEmail }, token)
  const mailed = await mailedToken(service.request, service.origin, newEmail)
  assert.equal((await post(service, '/api/auth/email/confirm', { token: mailed })).status, 200)
  service.clock.shift(60)
  const again = (await logIn(service, { ...who, email: newEmail })).mfaToken
  const result = await post(service, '/api/auth/mfa/verify', { mfaToken: again, method: 'totp', code: codeAt(0) })
  assert.equal(result.status, 200, result.text)
  const last = result.body.accessToken
  await service.request('DELETE', `/api/auth/mfa/${enabled.factorId}`, { token: last })
  const seen = new Set((await own(service, last)).map(({ type }) => type))
  const wanted = [
    'factor_added',
    'factor_verified',
    'second_factor_required',
    'second_factor_failed',
    'recovery_code_used',
    'recovery_codes_replaced',
    'email_change_requested',
    'email_changed',
    'factor_removed',
  ]
  assert.deepEqual(
    wanted.filter((type) => !seen.has(type)),
    [],
  )
})

test('LG-1: an act of an administrator is recorded with its actor, whom the user does not see', async (t) => {
  const service = await startService(t)
  const admin = await service.register({ role: 'admin' })
  const customer = await service.register()
  const headers = { 'user-agent': AGENT }
  const path = `/users/${customer.userId}`
  const body = { role: 'operator' }
  assert.equal((await service.request('PATCH', path, { token: admin.accessToken, body, headers })).status, 200)
  const unchanged = { staffRoleBefore: null, staffRole: null, disabledBefore: false, disabled: false }
  const details = { roleBefore: 'customer', role: 'operator', ...unchanged }
  const seen = await newest(service, customer.accessToken, 'user_access_changed')
  assert.deepEqual(
    [seen.actor, seen.sessionId, seen.ipAddress, seen.userAgent, seen.details],
    ['administrator', null, null, null, details],
  )
  assert.ok(!JSON.stringify(seen).includes(admin.userId))
  const [event] = await all(service, admin.accessToken, `userId=${customer.userId}&type=user_access_changed`)
  assert.deepEqual(
    [event?.actor, event?.userId, event?.sessionId, event?.ipAddress, event?.userAgent, event?.details],
    [admin.userId, customer.userId, sessionOf(admin.accessToken), '127.0.0.1', AGENT, details],
  )
  assert.deepEqual(await own(service, admin.accessToken, 'user_access_changed'), [])
})

test('LG-1: accounts read their own events only, administrators all, page by page', async (t) => {
  const service = await startService(t)
  const admin = await service.register({ role: 'admin' })
  const operator = await service.register({ role: 'operator' })
  const customer = await service.register()
  await post(service, '/api/auth/login', { email: 'nobody@example.com', password: WRONG })
  const token = customer.accessToken
  const signIns = (await all(service, admin.accessToken, 'type=sign_in')).map(({ userId }) => userId)
  assert.deepEqual(signIns, [customer.userId, operator.userId, admin.userId])
  const failures = await all(service, admin.accessToken, 'result=failure')
  assert.deepEqual(
    failures.map(({ type, userId }) => [type, userId]),
    [['sign_in_failed', null]],
  )
  const mine = await own(service, token)
  assert.deepEqual(
    mine.map(({ type }) => type),
    ['sign_in', 'email_verified', 'sign_up'],
  )
  for (const { accessToken } of [customer, operator]) {
    assert.equal((await service.request('GET', '/security-events', { token: accessToken })).status, 403)
  }
  for (const path of ['/security-events', '/me/security-events']) {
    assert.equal((await service.request('GET', path)).status, 401)
    const body = { name: 'x', permissions: ['read'] }
    const { key } = (await post(service, '/api/api-keys', body, admin.accessToken)).body
    assert.equal((await service.request('GET', path, { token: key })).status, 403)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      assert.equal((await service.request(method, path, { token: admin.accessToken })).status, 405, `${method} ${path}`)
    }
    for (const query of ['type=nonsense', 'limit=0', 'cursor=x', 'userId[]=1', 'other=1']) {
      const { status } = await service.request('GET', `${path}?${query}`, { token: admin.accessToken })
      assert.equal(status, 400, `${path}?${query}`)
    }
  }
  const paged: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page = await service.request('GET', `/me/security-events?limit=2${cursor && `&cursor=${cursor}`}`, { token })
    paged.push(...page.body.data.map(({ id }: Event) => id))
    cursor = page.body.nextCursor
  }
  assert.deepEqual(
    paged,
    (await own(service, token)).map(({ id }) => id),
  )
  const [latest] = mine
  const at = encodeURIComponent(latest?.createdAt ?? '')
  const about = `userId=${customer.userId}&type=sign_in`
  assert.equal((await all(service, admin.accessToken, `${about}&from=${at}`)).length, 1)
  assert.equal((await all(service, admin.accessToken, `${about}&to=${at}`)).length, 0)
  const leap = encodeURIComponent('2016-12-31T23:59:60Z')
  const impossible = await service.request('GET', `/security-events?from=${leap}`, { token: admin.accessToken })
  assert.equal(impossible.status, 400)
})

test('LG-1: every type of event is recorded somewhere', () => {
  const root = join(import.meta.dirname, '../..')
  const sources = globSync('**/*.ts', { cwd: root })
    .filter((file) => !/\.(test|fixture)\.ts$|auth\/audit\/(?!admin-acts)/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const recorded = new Set([...sources.matchAll(/'([a-z_]+)'/g)].map(([, word]) => word))
  assert.deepEqual(
    SECURITY_EVENT_TYPES.filter((type) => !recorded.has(type)),
    [],
  )
})
