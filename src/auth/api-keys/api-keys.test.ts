import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { PreparingClient } from '../../platform/db/connections/preparing-client.ts'
import type { Role } from '../../platform/http/core/principal.ts'
import { effectivePermissions } from '../access/permissions.ts'

function create(service: TestService, token: string, body: object = {}, headers = {}): Promise<TestResponse> {
  const wanted = { name: 'ci', permissions: ['read'], ...body }
  return service.request('POST', '/api/api-keys', { token, body: wanted, headers })
}

/** Calls a route that needs only the permission `designs:read`. */
async function use(service: TestService, key: string): Promise<number> {
  return (await service.request('GET', '/designs', { token: key })).status
}

test('AK-1: a key has prefix and checksum, is shown once, and is stored as a hash only', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { status, body } = await create(service, token)
  assert.equal(status, 201)
  assert.match(body.key, /^platen_test_[0-9A-Za-z]{38}$/)
  assert.equal(body.start, body.key.slice(0, 16))
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

test('AK-1: a mistyped key is rejected without a query, and a valid one is looked up once', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { key } = (await create(service, token)).body
  const query = t.mock.method(PreparingClient.prototype, 'query')
  const counted = (text: string): number =>
    query.mock.calls.filter((call) => JSON.stringify(call.arguments[0]).includes(text)).length
  for (const place of [7, 20, 38, 39, 44]) {
    const flipped = `${key.slice(0, place)}${key[place] === 'A' ? 'B' : 'A'}${key.slice(place + 1)}`
    assert.equal(await use(service, flipped), 401)
  }
  for (const wrong of [`${key}0`, key.slice(0, -1), key.toLowerCase(), 'platen_'])
    assert.equal(await use(service, wrong), 401)
  assert.equal(counted('key_hash'), 0)
  assert.equal(await use(service, key), 200)
  assert.equal(counted('key_hash'), 1)
  await use(service, key)
  assert.equal(counted('key_hash'), 1)
})

test('AK-2: only a session with a recent sign-in creates keys, and only for its own account', async (t) => {
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

test('AK-2: an account has at most fifty active keys, even with concurrent requests', async (t) => {
  const service = await startService(t)
  const { accessToken: token, userId } = await service.signUp()
  const at = service.clock.now()
  const add = (count: number, name: string, end: { expires?: Date; revoked?: Date } = {}) =>
    sql`insert into api_keys (id, user_id, name, permissions, key_hash, start, last4, created_at, expires_at, revoked_at)
      select ${name} || n, ${userId}, ${name}, '{read}', ${name} || n, 'platen_', 'last', ${at}, ${end.expires ?? null},
        ${end.revoked ?? null} from generate_series(1, ${count}::int) as n`.execute(service.db)
  await add(30, 'expired', { expires: new Date(at.getTime() - 1000) })
  await add(30, 'revoked', { revoked: at })
  await add(49, 'working')
  const outcomes = await service.db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${userId} for no key update`.execute(trx)
    const both = [create(service, token), create(service, token)]
    await service.untilBlocked(2)
    return { both }
  })
  const answers = await Promise.all(outcomes.both)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
  assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'too_many_api_keys')
  const { id } = answers.find(({ status }) => status === 201)?.body ?? {}
  // Rotating a key adds no key, and revoking one makes room for another.
  const rotated = await service.request('POST', `/api/api-keys/${id}/rotate`, { token, body: { overlapSeconds: 60 } })
  assert.equal(rotated.status, 201)
  assert.equal((await service.request('DELETE', `/api/api-keys/${id}`, { token })).status, 204)
  assert.equal((await create(service, token)).status, 201)
  assert.equal((await create(service, token)).status, 409)
})

test('AK-3: an unknown permission is rejected, and no permission is the default', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  for (const permissions of [['admin'], [], ['read', 'read'], 'read', ['*'], ['designs'], ['READ'], null, undefined]) {
    assert.equal((await create(service, token, { permissions })).status, 400, JSON.stringify(permissions))
  }
})

test('AK-4: a key never exceeds the current role of its owner', async (t) => {
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

test('AK-4: `read` and `write` include only what the current role permits', () => {
  const inRole = (role: Role) => ({ role, staffRole: null })
  assert.ok(!effectivePermissions(['write'], inRole('customer')).has('products:write'))
  assert.ok(!effectivePermissions(['products:write'], inRole('operator')).has('products:write'))
  assert.ok(effectivePermissions(['write'], inRole('admin')).has('products:write'))
  assert.ok(!effectivePermissions(['write'], inRole('admin')).has('products:read'))
})

test('AK-5: a revoked, an expired and an unknown key get the same response', async (t) => {
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
    const { status, text, headers } = await service.request('GET', '/designs', { token: key })
    const names = [...headers.keys()].sort().join()
    answers.push(`${status} ${text.replace(/"requestId":"[^"]*"/, '')} ${headers.get('www-authenticate')} ${names}`)
  }
  assert.equal(new Set(answers).size, 1)
  assert.match(answers[0] ?? '', /^401 /)
})

test('AK-6: a rotated key keeps its id, and its old secret works for the chosen overlap only', async (t) => {
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

test('AK-6: of two concurrent rotations the second follows the first, and two secrets work', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { id, key } = (await create(service, token)).body
  const rotate = () => service.request('POST', `/api/api-keys/${id}/rotate`, { token, body: { overlapSeconds: 300 } })
  const pending = await service.db.transaction().execute(async (trx) => {
    await sql`select from api_keys where id = ${id} for update`.execute(trx)
    const both = [rotate(), rotate()]
    await service.untilBlocked(2)
    return { both }
  })
  const answers = await Promise.all(pending.both)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  )
  assert.equal(await use(service, key), 401)
  for (const { body } of answers) assert.equal(await use(service, body.key), 200)
})

test('a key of another account is not found', async (t) => {
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

test('a repeated creation creates one key and does not show it again', async (t) => {
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

test('the last use of a key is recorded, at most once a minute', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { key, id } = (await create(service, token)).body
  const lastUsed = async (): Promise<string | null> =>
    (await service.request('GET', `/api/api-keys/${id}`, { token })).body.lastUsedAt
  await use(service, key)
  await until('the first use is recorded', async () => (await lastUsed()) !== null)
  const first = await lastUsed()
  await use(service, key)
  await delay(200)
  assert.equal(await lastUsed(), first)
  service.clock.shift(61)
  await use(service, key)
  await until('the next use is recorded', async () => (await lastUsed()) !== first)
})
