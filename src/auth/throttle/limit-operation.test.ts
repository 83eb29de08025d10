import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startService, type TestResponse } from '../../../test/harness.ts'
import { mailedToken } from '../../../test/people.ts'

function requireLimited({ status, body, headers }: TestResponse, withinSeconds: number): void {
  assert.deepEqual([status, body.code], [429, 'rate_limited'])
  const seconds = Number(headers.get('retry-after'))
  assert.ok(seconds > withinSeconds - 60 && seconds <= withinSeconds, String(seconds))
}

test('an account creates and rotates twenty API keys an hour, an operator more', async (t) => {
  const service = await startService(t)
  const create = (token: string) =>
    service.request('POST', '/api/api-keys', { token, body: { name: 'ci', permissions: ['read'] } })
  const { accessToken: token } = await service.signUp()
  const { body: key } = await create(token)
  const rotate = () =>
    service.request('POST', `/api/api-keys/${key.id}/rotate`, { token, body: { overlapSeconds: 60 } })
  for (let n = 0; n < 9; n += 1) assert.equal((await rotate()).status, 201)
  for (let n = 0; n < 10; n += 1) assert.equal((await create(token)).status, 201)
  requireLimited(await create(token), 3600)
  requireLimited(await rotate(), 3600)
  const other = await service.signUp()
  assert.equal((await create(other.accessToken)).status, 201)
  const operator = await service.signUp({ role: 'operator' })
  for (let n = 0; n < 25; n += 1) assert.equal((await create(operator.accessToken)).status, 201)
})

test('an account steps up ten times a minute', async (t) => {
  const service = await startService(t)
  const { accessToken: token, password } = await service.signUp()
  const stepUp = () => service.request('POST', '/api/auth/step-up', { token, body: { password } })
  for (let n = 0; n < 10; n += 1) assert.equal((await stepUp()).status, 200)
  requireLimited(await stepUp(), 60)
  service.clock.shift(61)
  assert.equal((await stepUp()).status, 200)
})

test('a customer signs in 300 times an hour, and an account changes its credentials 60 times', async (t) => {
  const service = await startService(t)
  const { accessToken: token, email, password, userId } = await service.signUp()
  const { db, clock } = service
  const fill = (operation: string, count: number) =>
    sql`
      insert into account_operations (user_id, operation, performed_at)
      values (${userId}, ${operation}, array_fill(${clock.now()}::timestamptz, array[${count}::int]))
      on conflict (user_id, operation) do update set performed_at = excluded.performed_at`.execute(db)
  const signIn = () => service.request('POST', '/api/auth/login', { body: { email, password } })
  await fill('sign_in', 299)
  assert.equal((await signIn()).status, 200)
  requireLimited(await signIn(), 3600)
  const body = { currentPassword: password, newPassword: 'gravel tango lighthouse' }
  const change = () => service.request('POST', '/api/auth/password/change', { token, body })
  await fill('change_credentials', 60)
  requireLimited(await change(), 3600)
  const enable = () => service.request('POST', '/api/auth/mfa/enable', { token, body: { method: 'totp' } })
  requireLimited(await enable(), 3600)
  await fill('change_credentials', 59)
  assert.equal((await change()).status, 204)
})

test('changes of credentials in a session do not keep the owner from setting a new password by mail', async (t) => {
  const { request, origin, signUp, db, clock } = await startService(t)
  const { email, userId } = await signUp()
  await db
    .insertInto('account_operations')
    .values({ user_id: userId, operation: 'change_credentials', performed_at: Array(60).fill(clock.now()) })
    .execute()
  assert.equal((await request('POST', '/api/auth/password/forgot', { body: { email } })).status, 202)
  const body = { token: await mailedToken(request, origin, email), newPassword: 'gravel tango lighthouse' }
  assert.equal((await request('POST', '/api/auth/password/reset', { body })).status, 204)
})

test('an account exports its data ten times an hour', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const exportMe = () => service.request('GET', '/me/export', { token })
  for (let n = 0; n < 10; n += 1) assert.equal((await exportMe()).status, 200)
  requireLimited(await exportMe(), 3600)
})

test('revoked API keys are deleted after 30 days, and their security events stay', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const create = async () =>
    (await service.request('POST', '/api/api-keys', { token, body: { name: 'ci', permissions: ['read'] } })).body
  const [revoked, active] = [await create(), await create()]
  assert.equal((await service.request('DELETE', `/api/api-keys/${revoked.id}`, { token })).status, 204)
  const prune = async () => {
    await service.services.auth.jobs.find(({ name }) => name === 'auth.prune')?.handle({})
    return (await service.db.selectFrom('api_keys').select('id').orderBy('id').execute()).map(({ id }) => id)
  }
  service.clock.shift(29 * 86_400)
  assert.deepEqual(await prune(), [revoked.id, active.id])
  service.clock.shift(2 * 86_400)
  assert.deepEqual(await prune(), [active.id])
  const events = await service.db
    .selectFrom('security_events')
    .select('type')
    .where('type', 'like', 'api_key_%')
    .execute()
  assert.equal(events.length, 3)
})
