import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, startService, type TestService } from '../../../test/harness.ts'
import { effectivePermissions } from '../access/permissions.ts'

function create(service: TestService, token: string, body: object = {}, headers = {}): Promise<Answer> {
  const wanted = { name: 'ci', permissions: ['read'], ...body }
  return service.request('POST', '/api/api-keys', { token, body: wanted, headers })
}

/** A route that any `designs:read` may call. */
async function use(service: TestService, key: string): Promise<number> {
  return (await service.request('GET', '/designs', { token: key })).status
}

test('AK-1: a key has prefix and checksum, is shown once, and is stored as a hash only', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { status, body } = await create(service, token)
  assert.equal(status, 201)
  assert.match(body.key, /^platen_[0-9A-Za-z]{38}$/)
  assert.equal(body.start, body.key.slice(0, 11))
  assert.equal(body.last4, body.key.slice(-4))
  assert.equal(await use(service, body.key), 200)
  const { key, ...shown } = body
  assert.deepEqual((await service.request('GET', `/api/api-keys/${body.id}`, { token })).body, {
    ...shown,
    lastUsedAt: (await service.request('GET', `/api/api-keys/${body.id}`, { token })).body.lastUsedAt,
  })
  const stored = await service.db.selectFrom('api_keys').selectAll().execute()
  assert.ok(!JSON.stringify(stored).includes(key))
  const list = await service.request('GET', '/api/api-keys', { token })
  assert.ok(!list.text.includes(key))
  assert.equal(list.body.data.length, 1)
})

test('AK-1: a mistyped key is refused without a query', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { key } = (await create(service, token)).body
  const flipped = `${key.slice(0, 20)}${key[20] === 'A' ? 'B' : 'A'}${key.slice(21)}`
  const query = t.mock.method(service.parts.database.pool, 'query')
  assert.equal(await use(service, flipped), 401)
  assert.equal(query.mock.calls.filter((call) => JSON.stringify(call.arguments).includes('usable_key')).length, 0)
  assert.equal(await use(service, key), 200)
  assert.equal(query.mock.calls.filter((call) => JSON.stringify(call.arguments).includes('usable_key')).length, 1)
  await use(service, key)
  assert.equal(query.mock.calls.filter((call) => JSON.stringify(call.arguments).includes('usable_key')).length, 1)
})

test('AK-2: only a person who signed in a short time ago makes keys, and only for themselves', async (t) => {
  const service = await startService(t)
  const { accessToken: token, userId } = await service.signUp()
  const { key } = (await create(service, token, { permissions: ['read', 'write'] })).body
  assert.equal(
    (await service.request('POST', '/api/api-keys', { body: { name: 'x', permissions: ['read'] } })).status,
    401,
  )
  assert.equal((await create(service, key)).status, 403)
  for (const extra of [{ userId }, { ownerId: userId }]) assert.equal((await create(service, token, extra)).status, 400)
  service.clock.shift(601)
  assert.equal((await create(service, token)).body.code, 'step_up_required')
})

test('AK-3: a key may do what it was given and nothing else', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const attempt = async (permissions: string[], method: string, path: string): Promise<string> => {
    const { key } = (await create(service, token, { permissions })).body
    const answer = await service.request(method, path, { token: key, ...(method === 'POST' ? { body: {} } : {}) })
    return answer.status === 403 ? `403 ${answer.body.code}` : answer.status < 500 ? 'let in' : String(answer.status)
  }
  const matrix: [string[], string, string, string][] = [
    [['read'], 'GET', '/designs', 'let in'],
    [['designs:read'], 'GET', '/designs', 'let in'],
    [['write'], 'GET', '/designs', '403 insufficient_scope'],
    [['orders:read'], 'GET', '/designs', '403 insufficient_scope'],
    [['read'], 'POST', '/designs', '403 insufficient_scope'],
    [['write'], 'POST', '/designs', 'let in'],
    [['designs:write'], 'POST', '/designs', 'let in'],
    [['designs:read', 'orders:write'], 'POST', '/designs', '403 insufficient_scope'],
  ]
  for (const [permissions, method, path, expected] of matrix) {
    assert.equal(await attempt(permissions, method, path), expected, `${permissions} ${method} ${path}`)
  }
  for (const permissions of [['admin'], [], ['read', 'read'], 'read', ['*']]) {
    assert.equal((await create(service, token, { permissions })).status, 400)
  }
})

test('AK-4: a key never exceeds its owner, whatever becomes of them', async (t) => {
  const service = await startService(t)
  const customer = await service.signUp()
  const beyond = await create(service, customer.accessToken, { permissions: ['products:write'] })
  assert.equal(beyond.status, 403)
  assert.equal(beyond.body.code, 'insufficient_role')
  const admin = await service.signUp({ role: 'admin' })
  const owner = await service.signUp({ role: 'admin' })
  const { key } = (await create(service, owner.accessToken, { permissions: ['products:write', 'read'] })).body
  const write = async (): Promise<number> =>
    (await service.request('POST', '/products', { token: key, body: {} })).status
  const patch = (body: object) => service.request('PATCH', `/users/${owner.userId}`, { token: admin.accessToken, body })
  assert.equal(await write(), 400)
  await patch({ role: 'customer' })
  assert.equal(await write(), 403)
  assert.equal(await use(service, key), 200)
  await patch({ disabled: true })
  assert.equal(await use(service, key), 401)
  await patch({ disabled: false, role: 'admin' })
  assert.equal(await write(), 400)
})

test('AK-4: an aggregate is cut down to what the present role may do', () => {
  assert.ok(!effectivePermissions(['write'], 'customer').has('products:write'))
  assert.ok(!effectivePermissions(['products:write'], 'operator').has('products:write'))
  assert.ok(effectivePermissions(['write'], 'admin').has('products:write'))
  assert.ok(!effectivePermissions(['write'], 'admin').has('products:read'))
})

test('AK-5: a revoked or expired key is answered like one that never was', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const soon = new Date(service.clock.now().getTime() + 60_000).toISOString()
  const expiring = (await create(service, token, { expiresAt: soon })).body
  const revoked = (await create(service, token)).body
  const past = new Date(service.clock.now().getTime() - 1000).toISOString()
  for (const expiresAt of [past, '2026-12-31T23:59:60Z', 'tomorrow']) {
    assert.equal((await create(service, token, { expiresAt })).status, 400)
  }
  for (const { key } of [expiring, revoked]) assert.equal(await use(service, key), 200)
  assert.equal((await service.request('DELETE', `/api/api-keys/${revoked.id}`, { token })).status, 204)
  assert.equal((await service.request('GET', `/api/api-keys/${revoked.id}`, { token })).status, 404)
  assert.equal((await service.request('DELETE', `/api/api-keys/${revoked.id}`, { token })).status, 404)
  service.clock.shift(61)
  const { newApiKey } = await import('./key-format.ts')
  const answers = []
  for (const key of [revoked.key, expiring.key, newApiKey()]) {
    const { status, text } = await service.request('GET', '/designs', { token: key })
    answers.push(`${status} ${text.replace(/"requestId":"[^"]*"/, '')}`)
  }
  assert.equal(new Set(answers).size, 1)
  assert.match(answers[0] ?? '', /^401 /)
})

test('AK-6: a rotated key keeps its id; the old secret works for the chosen overlap; never more than two work', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const first = (await create(service, token)).body
  const rotate = (overlapSeconds: number) =>
    service.request('POST', `/api/api-keys/${first.id}/rotate`, { token, body: { overlapSeconds } })
  assert.equal(await use(service, first.key), 200)
  const second = await rotate(300)
  assert.equal(second.status, 201)
  assert.equal(second.body.id, first.id)
  assert.deepEqual([await use(service, first.key), await use(service, second.body.key)], [200, 200])
  const third = (await rotate(300)).body
  const working = [first, second.body, third].map(({ key }) => use(service, key))
  assert.deepEqual(await Promise.all(working), [401, 200, 200])
  service.clock.shift(301)
  assert.deepEqual([await use(service, second.body.key), await use(service, third.key)], [401, 200])
  const fourth = (await rotate(0)).body
  assert.deepEqual([await use(service, third.key), await use(service, fourth.key)], [401, 200])
})

test('AK-7: a key reaches neither accounts nor keys, and is taken from the header only', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const { key, id } = (await create(service, token, { permissions: ['read', 'write'] })).body
  const routes: [string, string, object?][] = [
    ['GET', '/me'],
    ['PATCH', '/me', { name: 'x' }],
    ['GET', '/users'],
    ['GET', '/api/auth/sessions'],
    ['POST', '/api/auth/sessions/revoke-others'],
    ['POST', '/api/auth/logout'],
    ['POST', '/api/auth/step-up', { password: 'x' }],
    ['POST', '/api/auth/password/change', { currentPassword: 'x', newPassword: 'y' }],
    ['GET', '/api/api-keys'],
    ['GET', `/api/api-keys/${id}`],
    ['DELETE', `/api/api-keys/${id}`],
    ['POST', `/api/api-keys/${id}/rotate`, { overlapSeconds: 0 }],
  ]
  for (const [method, path, body] of routes) {
    const answer = await service.request(method, path, { token: key, ...(body === undefined ? {} : { body }) })
    assert.equal(answer.status, 403, `${method} ${path}`)
    assert.equal(answer.body.code, 'session_required')
  }
  assert.equal((await service.request('GET', `/designs?api_key=${key}`)).status, 401)
})

test('another person’s key is not there', async (t) => {
  const service = await startService(t)
  const owner = await service.signUp()
  const { accessToken: token } = await service.signUp()
  const { id, key } = (await create(service, owner.accessToken)).body
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
  ] as const) {
    const body = method === 'POST' ? { body: { overlapSeconds: 0 } } : {}
    const answer = await service.request(method, `/api/api-keys/${id}${path}`, { token, ...body })
    assert.equal(answer.status, 404)
  }
  assert.equal(await use(service, key), 200)
})

test('a repeated creation makes one key and does not show it again', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const headers = { 'idempotency-key': randomUUID() }
  const first = await create(service, token, {}, headers)
  const again = await create(service, token, {}, headers)
  assert.equal(again.status, 201)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.deepEqual(again.body, { ...first.body, key: null })
  assert.equal((await create(service, token, { name: 'other' }, headers)).status, 422)
})

test('the last use of a key is noted, at most once a minute', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { key, id } = (await create(service, token)).body
  const lastUsed = async (): Promise<string | null> => {
    await use(service, key)
    await delay(200)
    return (await service.request('GET', `/api/api-keys/${id}`, { token })).body.lastUsedAt
  }
  const first = await lastUsed()
  assert.notEqual(first, null)
  assert.equal(await lastUsed(), first)
  service.clock.shift(61)
  assert.notEqual(await lastUsed(), first)
})
