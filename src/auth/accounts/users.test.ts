import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { startService } from '../../../test/harness.ts'

async function startWithAdmin(t: TestContext) {
  const service = await startService(t)
  const admin = await service.signUp({ role: 'admin' })
  const call = (method: string, path: string, body?: object, token = admin.accessToken) =>
    service.request(method, path, { token, ...(body === undefined ? {} : { body }) })
  const found = async (query: string): Promise<string[]> => {
    const { status, body, text } = await call('GET', `/users?${query}`)
    assert.equal(status, 200, text)
    return body.data.map(({ email }: { email: string }) => email).sort()
  }
  return { service, admin, call, found }
}

test('users are found by parts of email address, name and external id, in every role', async (t) => {
  const { service, call, found } = await startWithAdmin(t)
  const ada = await service.signUp({ email: 'ada@example.com' })
  const packer = await service.signUp({ email: 'paul@shop.example.com', role: 'operator', staffRole: 'packing' })
  await service.request('PATCH', '/me', { token: packer.accessToken, body: { name: 'Paul Packer' } })
  const { body } = await call('GET', `/users/${ada.userId}`)
  await call('PATCH', `/customers/${body.customerId}`, { externalId: 'shop-4711', name: 'Ada Lovelace' })
  for (const query of [
    'q=ada@example',
    'q=ada',
    'q=love',
    'q=shop-4711',
    'externalId=shop-4711',
    'email=ADA@example.com',
  ])
    assert.deepEqual(await found(query), ['ada@example.com'], query)
  for (const query of ['q=pack', 'q=paul+packer', 'staffRole=packing', 'role=operator', 'role=operator&q=paul'])
    assert.deepEqual(await found(query), ['paul@shop.example.com'], query)
  assert.deepEqual(await found('q=nothing'), [])
  assert.deepEqual(await found('role=customer&staffRole=packing'), ['paul@shop.example.com'])
  assert.deepEqual(await found('disabled=true'), [])
  await call('PATCH', `/users/${ada.userId}`, { disabled: true })
  assert.deepEqual(await found('disabled=true'), ['ada@example.com'])
})

test('TK-6: an administrator sees the sessions of a user and ends them at once, which the record and a mail state', async (t) => {
  const { service, admin, call } = await startWithAdmin(t)
  const { userId, email, accessToken } = await service.signUp()
  const path = `/users/${userId}/sessions`
  const { body: sessions } = await call('GET', path)
  assert.deepEqual(
    sessions.data.map(({ current }: { current: boolean }) => current),
    [false],
  )
  assert.equal((await call('POST', `${path}/revoke-all`)).status, 204)
  assert.equal((await service.request('GET', '/me', { token: accessToken })).status, 401)
  assert.deepEqual((await call('GET', path)).body.data, [])
  const { body: events } = await call('GET', `/security-events?userId=${userId}&type=user_sessions_ended`)
  assert.deepEqual([events.data[0].actor, events.data[0].details], [admin.userId, { sessions: 1 }])
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  assert.ok(
    outbox.body.some((mail: { to: string; subject: string }) => mail.to === email && /signed out/.test(mail.subject)),
  )
})

test('SU-1: administrators change users only after a recent sign-in, and never with a key', async (t) => {
  const { service, call } = await startWithAdmin(t)
  const { userId } = await service.signUp()
  const all = { name: 'all', permissions: ['read', 'write', 'users:read'] }
  const { key } = (await call('POST', '/api/api-keys', all)).body
  const changes: [string, string, object][] = [
    ['PATCH', `/users/${userId}`, { disabled: true }],
    ['POST', `/users/${userId}/sessions/revoke-all`, {}],
    ['POST', '/invitations', { email: 'new@example.com', role: 'admin' }],
    ['POST', `/users/${userId}/factor-resets`, {}],
  ]
  for (const [method, path, body] of changes)
    assert.equal((await call(method, path, body, key)).body.code, 'session_required', path)
  service.clock.shift(601)
  for (const [method, path, body] of changes)
    assert.equal((await call(method, path, body)).body.code, 'step_up_required', path)
  assert.equal((await call('GET', `/users?q=x`)).status, 200)
})
