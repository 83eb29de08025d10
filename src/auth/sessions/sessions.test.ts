import assert from 'node:assert/strict'
import test from 'node:test'
import { decodeJwt } from 'jose'
import { startService, type TestService } from '../../../test/harness.ts'
import { mailedToken, type SignedUp } from '../../../test/people.ts'

const NEW_PASSWORD = 'gravel tango lighthouse'

async function login(service: TestService, { email, password }: Pick<SignedUp, 'email' | 'password'>, cookie?: string) {
  const headers = { 'user-agent': 'a second device', ...(cookie === undefined ? {} : { cookie }) }
  return (await service.request('POST', '/api/auth/login', { body: { email, password }, headers })).body
}

async function isIn(service: TestService, token: string): Promise<boolean> {
  return (await service.request('GET', '/me', { token })).status === 200
}

const sessionOf = (token: string): string => String(decodeJwt(token)['sid'])

test('SE-1: a sign-out ends its session only, and can be repeated with the same token', async (t) => {
  const service = await startService(t)
  const who = await service.signUp()
  const other = await login(service, who)
  for (let n = 0; n < 2; n += 1) {
    assert.equal((await service.request('POST', '/api/auth/logout', { token: who.accessToken })).status, 204)
  }
  assert.equal(await isIn(service, who.accessToken), false)
  const refreshed = await service.request('POST', '/api/auth/refresh', { body: { refreshToken: who.refreshToken } })
  assert.equal(refreshed.status, 401)
  assert.equal(await isIn(service, other.accessToken), true)
  assert.equal((await service.request('POST', '/api/auth/logout')).status, 401)
  assert.equal((await service.request('POST', '/api/auth/logout', { token: 'nonsense' })).status, 401)
})

test("SE-2: the list shows the caller's own sessions, without secrets", async (t) => {
  const service = await startService(t)
  const who = await service.signUp()
  const second = await login(service, who)
  const stranger = await service.signUp()
  const { body, text } = await service.request('GET', '/api/auth/sessions', { token: second.accessToken })
  assert.equal(body.data.length, 2)
  assert.equal(body.data[0].id, sessionOf(second.accessToken))
  assert.equal(body.data[0].current, true)
  assert.equal(body.data[0].userAgent, 'a second device')
  assert.equal(body.data[1].current, false)
  for (const { createdAt, lastSeenAt, ipAddress } of body.data) {
    for (const at of [createdAt, lastSeenAt])
      assert.ok(Math.abs(Date.parse(at) - service.clock.now().getTime()) < 60_000, at)
    assert.equal(ipAddress, '127.0.0.1')
  }
  const { body: others } = await service.request('GET', '/api/auth/sessions', { token: stranger.accessToken })
  assert.deepEqual(
    others.data.map(({ id }: { id: string }) => id),
    [sessionOf(stranger.accessToken)],
  )
  assert.ok(!text.includes(second.refreshToken))
  const foreign = `/api/auth/sessions/${sessionOf(who.accessToken)}`
  for (const id of [foreign, '/api/auth/sessions/ses_nonsense']) {
    assert.equal((await service.request('DELETE', id, { token: stranger.accessToken })).status, 404)
  }
  assert.equal(await isIn(service, who.accessToken), true)
})

test('SE-3: a caller can end one other session, or all others', async (t) => {
  const service = await startService(t)
  const who = await service.signUp()
  const second = await login(service, who)
  const third = await login(service, who)
  const token = who.accessToken
  const path = `/api/auth/sessions/${sessionOf(second.accessToken)}`
  assert.equal((await service.request('DELETE', path, { token })).status, 204)
  assert.deepEqual(await Promise.all([second, third].map((one) => isIn(service, one.accessToken))), [false, true])
  assert.equal((await service.request('POST', '/api/auth/sessions/revoke-others', { token })).status, 204)
  assert.equal(await isIn(service, third.accessToken), false)
  assert.equal(await isIn(service, token), true)
})

test('SE-4: a password change ends the other sessions, a reset ends all', async (t) => {
  const service = await startService(t)
  const who = await service.signUp()
  const second = await login(service, who)
  const body = { currentPassword: who.password, newPassword: NEW_PASSWORD }
  const changed = await service.request('POST', '/api/auth/password/change', { token: who.accessToken, body })
  assert.equal(changed.status, 204)
  assert.equal(await isIn(service, who.accessToken), true)
  assert.equal(await isIn(service, second.accessToken), false)
  await service.request('POST', '/api/auth/password/forgot', { body: { email: who.email } })
  const token = await mailedToken(service.request, service.origin, who.email)
  const reset = await service.request('POST', '/api/auth/password/reset', {
    body: { token, newPassword: 'another lighthouse tango' },
  })
  assert.equal(reset.status, 204)
  assert.equal(reset.text, '')
  assert.equal(await isIn(service, who.accessToken), false)
})

test('SE-4: a sign-in ignores session ids that the client sends', async (t) => {
  const service = await startService(t)
  const who = await service.signUp()
  const id = sessionOf(who.accessToken)
  const again = await login(service, who, `sid=${id}; session=${id}; platen_device=${id}.AAAA`)
  assert.notEqual(sessionOf(again.accessToken), id)
})

test('SE-4: a password that is changed during its verification opens no session', async (t) => {
  const service = await startService(t)
  const who = await service.signUp()
  const held = await service.db.startTransaction().execute()
  await held.updateTable('users').set({ password_hash: 'changed' }).where('id', '=', who.userId).execute()
  const waiting = service.request('POST', '/api/auth/login', { body: { email: who.email, password: who.password } })
  await service.untilBlocked()
  await held.commit().execute()
  assert.equal((await waiting).status, 401)
})

test('TK-6: a disabled user and a changed role lose access at once', async (t) => {
  const service = await startService(t)
  const admin = await service.signUp({ role: 'admin' })
  const second = await service.signUp({ role: 'admin' })
  const customer = await service.signUp()
  const patch = (userId: string, body: object) =>
    service.request('PATCH', `/users/${userId}`, { token: admin.accessToken, body })
  await patch(second.userId, { role: 'customer' })
  assert.equal((await service.request('GET', '/users', { token: second.accessToken })).status, 403)
  assert.equal(await isIn(service, second.accessToken), true)
  await patch(second.userId, { role: 'admin' })
  assert.equal((await service.request('GET', '/users', { token: second.accessToken })).status, 200)
  const disabled = await patch(customer.userId, { disabled: true })
  assert.equal(disabled.body.disabled, true)
  assert.equal(await isIn(service, customer.accessToken), false)
  await patch(customer.userId, { disabled: false })
  assert.equal(await isIn(service, customer.accessToken), false, 'ended sessions do not come back')
})

test('SU-2: a step-up applies to its session for ten minutes, and a refresh does not extend it', async (t) => {
  const service = await startService(t)
  const who = await service.signUp()
  const other = await login(service, who)
  const sensitive = async (token: string): Promise<number> =>
    (await service.request('POST', '/api/api-keys', { token, body: { name: 'x', permissions: ['read'] } })).status
  service.clock.shift(700)
  assert.equal(await sensitive(who.accessToken), 403)
  const body = { password: who.password }
  const { accessToken } = (await service.request('POST', '/api/auth/step-up', { token: who.accessToken, body })).body
  assert.equal(sessionOf(accessToken), sessionOf(who.accessToken))
  assert.equal(await sensitive(accessToken), 201)
  assert.equal(await sensitive(other.accessToken), 403)
  service.clock.shift(590)
  const { refreshToken } = who
  const refreshed = (await service.request('POST', '/api/auth/refresh', { body: { refreshToken } })).body
  assert.equal(await sensitive(refreshed.accessToken), 201)
  service.clock.shift(20)
  assert.equal(await sensitive(refreshed.accessToken), 403)
})
