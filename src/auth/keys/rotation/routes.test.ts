import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { startService } from '../../../../test/harness.ts'

const SIX_MINUTES_AND_A_SECOND = 361

interface Key {
  kid: string
  purpose: string
  state: string
  verifiesUntil: string | null
}

test('an administrator rotates keys, and sees until when the retired ones verify', async (t) => {
  const service = await startService(t)
  const { accessToken: token, userId, email, password } = await service.signUp({ role: 'admin' })
  const list = async (): Promise<Key[]> => (await service.request('GET', '/signing-keys', { token })).body.data
  const rotate = (body: object) => service.request('POST', '/signing-keys/rotate', { token, body })
  const before = await list()
  assert.deepEqual(before.map(({ purpose, state }) => `${purpose} ${state}`).toSorted(), [
    'access_token current',
    'access_token next',
    'statement current',
    'statement next',
  ])

  // A client may still cache a key set without the next key.
  const early = await rotate({ purposes: ['access_token'] })
  assert.deepEqual([early.status, early.body.code], [409, 'signing_keys_too_young'])
  assert.ok(Date.parse(early.body.readyAt) > service.clock.now().getTime())
  assert.deepEqual(await list(), before)

  service.clock.shift(SIX_MINUTES_AND_A_SECOND)
  const { status, body } = await rotate({ purposes: ['access_token', 'statement'] })
  assert.equal(status, 200)
  assert.deepEqual(body.data, await list())
  const next = before.find(({ purpose, state }) => purpose === 'access_token' && state === 'next')
  const login = await service.request('POST', '/api/auth/login', { body: { email, password } })
  assert.equal(decodeProtectedHeader(login.body.accessToken).kid, next?.kid)
  // The session continues with a token of the retired key, and receipts are verified for ever.
  const retired = (await list()).filter(({ state }) => state === 'retired')
  assert.equal(retired.find(({ purpose }) => purpose === 'statement')?.verifiesUntil, null)
  const until = Date.parse(retired.find(({ purpose }) => purpose === 'access_token')?.verifiesUntil ?? '')
  assert.ok(until > service.clock.now().getTime() + 900_000)
  service.clock.shift((until - service.clock.now().getTime()) / 1000 + 1)
  const fresh = (await service.request('POST', '/api/auth/login', { body: { email, password } })).body.accessToken
  const later: Key[] = (await service.request('GET', '/signing-keys', { token: fresh })).body.data
  assert.ok(!later.some(({ purpose, state }) => purpose === 'access_token' && state === 'retired'))

  const events = await service.request('GET', '/security-events?type=signing_keys_rotated', { token: fresh })
  assert.deepEqual(
    events.body.data.map((event: { userId: string; details: { purpose: string } }) => [
      event.userId,
      event.details.purpose,
    ]),
    [
      [userId, 'statement'],
      [userId, 'access_token'],
    ],
  )
})

test('a rotation needs an administrator with a recent sign-in, and no key can do it', async (t) => {
  const service = await startService(t)
  const admin = await service.signUp({ role: 'admin' })
  const operator = await service.signUp({ role: 'operator' })
  const input = { name: 'keys', permissions: ['system:read', 'system:write'] }
  const { body: key } = await service.request('POST', '/api/api-keys', { token: admin.accessToken, body: input })
  const rotate = async (token: string) => {
    const body = { purposes: ['statement'], force: true }
    const answer = await service.request('POST', '/signing-keys/rotate', { token, body })
    return [answer.status, answer.body.code]
  }
  assert.deepEqual(await rotate(operator.accessToken), [403, 'insufficient_role'])
  assert.deepEqual(await rotate(key.key), [403, 'session_required'])
  assert.equal((await service.request('GET', '/signing-keys', { token: key.key })).status, 200)
  assert.equal((await service.request('GET', '/signing-keys', { token: operator.accessToken })).status, 403)
  service.clock.shift(11 * 60)
  assert.deepEqual(await rotate(admin.accessToken), [403, 'step_up_required'])
})
