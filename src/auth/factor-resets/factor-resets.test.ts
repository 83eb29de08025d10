import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { enableTotp } from '../../../test/lib/second-factor.ts'
import { mailedToken } from '../../../test/people.ts'
import { completeDueReset } from './reset-factors.ts'

const DAY = 24 * 3600

async function start(t: TestContext) {
  const service = await startService(t)
  const [first, second] = [await service.signUp({ role: 'admin' }), await service.signUp({ role: 'admin' })]
  const owner = await service.signUp()
  await enableTotp(service, owner)
  const post = (path: string, by: { accessToken: string }, body: object = {}) =>
    service.request('POST', path, { token: by.accessToken, body })
  const begin = (by = first, userId = owner.userId) =>
    service.request('POST', `/users/${userId}/factor-resets`, { token: by.accessToken })
  const login = async () => {
    const { email, password } = owner
    return (await service.request('POST', '/api/auth/login', { body: { email, password } })).body.status
  }
  const complete = (id: string) => completeDueReset(service.services.auth.services, id)
  return { service, first, second, owner, post, begin, login, complete }
}

test('a second administrator confirms: all factors are removed, and all sessions end', async (t) => {
  const { service, first, second, owner, post, begin, login } = await start(t)
  const { status, body: reset, text } = await begin()
  assert.equal(status, 201, text)
  assert.deepEqual([reset.status, reset.confirmedBy], ['waiting', null])
  assert.equal(await login(), 'mfa_required')
  assert.equal((await post(`/factor-resets/${reset.id}/confirm`, first)).body.code, 'second_administrator_required')
  const { body: confirmed } = await post(`/factor-resets/${reset.id}/confirm`, second)
  assert.deepEqual([confirmed.status, confirmed.confirmedBy], ['completed', second.userId])
  assert.equal((await service.request('GET', '/me', { token: owner.accessToken })).status, 401)
  assert.equal(await login(), 'authenticated')
  assert.equal((await post(`/factor-resets/${reset.id}/confirm`, second)).body.code, 'factor_reset_not_found')
  const query = `/security-events?userId=${owner.userId}&type=factors_reset`
  const { data } = (await service.request('GET', query, { token: first.accessToken })).body
  assert.deepEqual([data[0].actor, data[0].details.startedBy], [second.userId, first.userId])
})

test('an administrator cannot confirm with another account that was made an administrator for it', async (t) => {
  const { service, first, owner, post, begin } = await start(t)
  const other = await service.signUp()
  const promoted = await service.request('PATCH', `/users/${other.userId}`, {
    token: first.accessToken,
    body: { role: 'admin' },
  })
  assert.equal(promoted.status, 200, promoted.text)
  const { id } = (await begin()).body
  const refused = await post(`/factor-resets/${id}/confirm`, other)
  assert.deepEqual([refused.status, refused.body.code], [403, 'second_administrator_required'])
  assert.equal((await post(`/factor-resets/${id}/stop`, other)).status, 200)
  service.clock.shift(DAY + 1)
  const signIn = async ({ email, password }: { email: string; password: string }): Promise<{ accessToken: string }> =>
    (await service.request('POST', '/api/auth/login', { body: { email, password } })).body
  const { id: later } = (await begin({ ...first, ...(await signIn(first)) }, owner.userId)).body
  const { body: confirmed } = await post(`/factor-resets/${later}/confirm`, await signIn(other))
  assert.equal(confirmed.status, 'completed')
})

test('the other administrators get a mail that names the request', async (t) => {
  const { service, second, owner, begin } = await start(t)
  const { id } = (await begin()).body
  const { body: outbox } = await service.request('GET', `${service.origin}/dev/outbox`)
  const wanted = outbox.filter(({ kind }: { kind: string }) => kind === 'factor_reset_confirmation')
  assert.deepEqual(
    wanted.map(({ to }: { to: string }) => to),
    [second.email],
  )
  for (const part of [id, owner.userId, '/console/people/factor-resets']) assert.ok(wanted[0].text.includes(part), part)
})

test('without a confirmation, the request is completed after 24 hours and not earlier', async (t) => {
  const { service, begin, login, complete } = await start(t)
  const { id } = (await begin()).body
  service.clock.shift(DAY - 5)
  await complete(id)
  assert.equal(await login(), 'mfa_required')
  service.clock.shift(6)
  await complete(id)
  assert.equal(await login(), 'authenticated')
})

test('the owner stops the request with the mailed link, and it is not completed later', async (t) => {
  const { service, owner, begin, login, complete } = await start(t)
  const { id } = (await begin()).body
  const token = await mailedToken(service.request, service.origin, owner.email)
  const stop = () => service.request('POST', '/api/auth/factor-reset/stop', { body: { token } })
  assert.deepEqual([(await stop()).body, (await stop()).body.code], [{ status: 'stopped' }, 'invalid_token'])
  service.clock.shift(DAY + 1)
  await complete(id)
  assert.equal(await login(), 'mfa_required')
})

test('a request ends with the role of the administrator who made it', async (t) => {
  const { service, first, second, begin, login, complete } = await start(t)
  const { id } = (await begin()).body
  const demoted = { token: second.accessToken, body: { role: 'operator' } }
  assert.equal((await service.request('PATCH', `/users/${first.userId}`, demoted)).status, 200)
  service.clock.shift(DAY + 1)
  await complete(id)
  assert.equal(await login(), 'mfa_required')
})

test('administrators cannot remove their own factors, alone or by confirming', async (t) => {
  const { service, first, second, post, begin } = await start(t)
  await enableTotp(service, first)
  assert.equal((await begin(first, first.userId)).body.code, 'factor_reset_of_self')
  const { id } = (await begin(second, first.userId)).body
  assert.equal((await post(`/factor-resets/${id}/confirm`, first)).body.code, 'factor_reset_of_self')
  assert.equal((await begin(second, second.userId)).body.code, 'factor_reset_of_self')
})

test('a user has one open request, and only with a second factor; an administrator can stop it', async (t) => {
  const { service, first, second, post, begin } = await start(t)
  const plain = await service.signUp()
  assert.equal((await begin(first, plain.userId)).body.code, 'mfa_not_enabled')
  const { id } = (await begin()).body
  assert.equal((await begin(second)).body.code, 'factor_reset_exists')
  assert.equal((await post(`/factor-resets/${id}/stop`, second)).body.status, 'stopped')
  const { id: next } = (await begin()).body
  const list = (await service.request('GET', '/factor-resets?status=waiting', { token: first.accessToken })).body
  assert.deepEqual(
    list.data.map((one: { id: string }) => one.id),
    [next],
  )
})
