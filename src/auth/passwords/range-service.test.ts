import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { startRangeService } from '../../../test/fakes/range-service.ts'
import { startService } from '../../../test/harness.ts'
import { mailedToken } from '../../../test/people.ts'

const BREACHED = 'a lighthouse from a breach'
const PADDING = 'a lighthouse from padding'

function lineOf(password: string): string {
  return `${createHash('sha1').update(password).digest('hex').slice(5)}:3`
}

test('PW-3: every route rejects a breached password, and the range service sees five digits', async (t) => {
  const range = await startRangeService(t, { [BREACHED]: 3, [PADDING]: 0 })
  const service = await startService(t, { env: { PLATEN_PASSWORD_RANGE_URL: `${range.url}/` } })
  const { email, password, accessToken: token } = await service.signUp()
  await service.request('POST', '/api/auth/password/forgot', { body: { email } })
  const reset = await mailedToken(service.request, service.origin, email)
  range.requests.length = 0
  const places = [
    { path: 'register', body: { email: `${randomUUID()}@example.com`, password: BREACHED }, pointer: '/password' },
    { path: 'password/reset', body: { token: reset, newPassword: BREACHED }, pointer: '/newPassword' },
    {
      path: 'password/change',
      body: { currentPassword: password, newPassword: BREACHED },
      pointer: '/newPassword',
      options: { token },
    },
  ]
  for (const { path, body, pointer, options } of places) {
    const answer = await service.request('POST', `/api/auth/${path}`, { body, ...options })
    assert.deepEqual([answer.status, answer.body.code], [422, 'password_rejected'], path)
    assert.deepEqual([answer.body.errors[0].code, answer.body.errors[0].pointer], ['breached', pointer])
  }
  assert.equal(range.requests.length, 3)
  for (const { path, headers } of range.requests) {
    assert.match(path, /^\/range\/[0-9A-F]{5}$/)
    assert.equal(headers['add-padding'], 'true')
  }
  const body = { email: `${randomUUID()}@example.com`, password: PADDING }
  assert.equal((await service.request('POST', '/api/auth/register', { body })).status, 202)
})

test('PW-3: passwords that fail other checks are not sent to the range service', async (t) => {
  const range = await startRangeService(t, {})
  const service = await startService(t, { env: { PLATEN_PASSWORD_RANGE_URL: range.url } })
  for (const password of ['short', 'passwordpassword', 'x'.repeat(300)]) {
    const body = { email: `${randomUUID()}@example.com`, password }
    assert.equal((await service.request('POST', '/api/auth/register', { body })).status, 422)
  }
  assert.deepEqual(range.requests, [])
})

test('PW-3: during an outage of the range service, only common passwords are rejected', async (t) => {
  const range = await startRangeService(t, { [BREACHED]: 3 })
  const service = await startService(t, { env: { PLATEN_PASSWORD_RANGE_URL: range.url } })
  const failures: Record<string, (response: ServerResponse) => void> = {
    'an error': (response) => response.writeHead(500).end('oops'),
    'another place': (response) => response.writeHead(302, { location: `${range.url}/elsewhere` }).end(),
    silence: () => undefined,
    // The matching line is at the end, so a service that reads beyond the limit would find it.
    'too much': (response) => response.end(`${`${'0'.repeat(35)}:0\r\n`.repeat(20_000)}${lineOf(BREACHED)}`),
    nonsense: (response) => response.end(Buffer.from([0, 255, 58, 10, 13])),
  }
  for (const [name, fail] of Object.entries(failures)) {
    range.requests.length = 0
    range.answerWith(fail)
    const attempt = (password: string) =>
      service.request('POST', '/api/auth/register', { body: { email: `${randomUUID()}@example.com`, password } })
    assert.equal((await attempt(BREACHED)).status, 202, name)
    assert.equal((await attempt('passwordpassword')).body.errors[0].code, 'common', name)
    assert.equal(range.requests.length, 1, name)
  }
  assert.doesNotMatch(service.logLines(), /lighthouse/)
})
