import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { startService } from '../../../test/harness.ts'
import { enableTotp, signInWithApp, textedCode, totpCode } from '../../../test/lib/second-factor.ts'

/** Operations that a person at an unattended browser must not be able to perform. */
const SENSITIVE = [
  'DELETE /api/api-keys/{keyId}',
  'DELETE /api/auth/identities/{provider}',
  'DELETE /api/auth/mfa/{factorId}',
  'DELETE /api/auth/webauthn/credentials/{credentialId}',
  'DELETE /me',
  'GET /me/export',
  'PATCH /api/auth/webauthn/credentials/{credentialId}',
  'POST /api/api-keys',
  'POST /api/api-keys/{keyId}/rotate',
  'POST /api/auth/email/change',
  'POST /api/auth/identities/{provider}/link',
  'POST /api/auth/invitations/claim',
  'POST /api/auth/mfa/confirm',
  'POST /api/auth/mfa/enable',
  'POST /api/auth/mfa/recovery-codes',
  'POST /api/auth/password/change',
  'POST /api/auth/webauthn/register',
  'POST /api/auth/webauthn/register/verify',
]

/** This route ends the session of the request, and its guard never requires a step-up, so it is excluded. */
const ENDS_THE_SESSION = 'POST /api/auth/logout'

const STREAM = 'GET /events/stream'

interface Operation {
  security?: Record<string, string[]>[]
}

async function start(t: TestContext) {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '1000' } })
  const who = await service.signUp()
  const stepUp = (body: object, token = who.accessToken) =>
    service.request('POST', '/api/auth/step-up', { token, body })
  /** Calls a sensitive operation that changes nothing, because the key does not exist. */
  const act = async (token: string): Promise<string> => {
    const { status, body } = await service.request('DELETE', '/api/api-keys/key_none', { token })
    return `${status} ${body.code}`
  }
  return { service, who, stepUp, act }
}

const ADMITTED = '404 api_key_not_found'
const REFUSED = '403 step_up_required'

test('SU-1: exactly the sensitive operations require a recent authentication', async (t) => {
  const { service, who } = await start(t)
  const { body: document } = await service.request('GET', '/openapi.json')
  service.clock.shift(601)
  const asked: string[] = []
  for (const [path, operations] of Object.entries<Record<string, Operation>>(document.paths)) {
    for (const [method, { security = [] }] of Object.entries(operations)) {
      const operation = `${method.toUpperCase()} ${path}`
      if (!security.some((scheme) => 'accessToken' in scheme) || operation === ENDS_THE_SESSION) continue
      const url = path.replaceAll(/\{\w+\}/g, 'none')
      // The response to GET never ends, so the test sends HEAD, for which the same guard runs.
      const verb = operation === STREAM ? 'HEAD' : method.toUpperCase()
      const answer = await service.request(verb, url, { token: who.accessToken })
      if (answer.body?.code !== 'step_up_required') continue
      assert.deepEqual([answer.status, answer.body.maxAge], [403, 600], operation)
      asked.push(operation)
    }
  }
  assert.deepEqual(asked.sort(), SENSITIVE)
})

test('SU-2: a step-up applies to its session for ten minutes, and neither use nor refresh extends it', async (t) => {
  const { service, who, stepUp, act } = await start(t)
  const { email, password } = who
  const other = await service.request('POST', '/api/auth/login', { body: { email, password } })
  service.clock.shift(601)
  assert.equal(await act(who.accessToken), REFUSED)
  const stepped = await stepUp({ password })
  assert.equal(stepped.status, 200)
  assert.deepEqual(Object.keys(stepped.body).sort(), ['accessToken', 'expiresIn'])
  const token: string = stepped.body.accessToken
  assert.equal(decodeJwt(token)['sid'], decodeJwt(who.accessToken)['sid'])
  assert.deepEqual(decodeJwt(token)['amr'], ['pwd'])
  assert.equal(await act(token), ADMITTED)
  // The step-up has no effect on the token that was issued before it, nor on another session.
  assert.equal(await act(who.accessToken), REFUSED)
  const refreshToken = other.body.refreshToken
  const refreshed = await service.request('POST', '/api/auth/refresh', { body: { refreshToken } })
  assert.equal(await act(refreshed.body.accessToken), REFUSED)

  service.clock.shift(590)
  assert.equal(await act(token), ADMITTED)
  const mine = await service.request('POST', '/api/auth/refresh', { body: { refreshToken: who.refreshToken } })
  assert.equal(decodeJwt(mine.body.accessToken)['auth_time'], decodeJwt(token)['auth_time'])
  assert.equal(await act(mine.body.accessToken), ADMITTED)
  service.clock.shift(11)
  assert.equal(await act(mine.body.accessToken), REFUSED)
})

test('SU-2: an account with a second factor steps up with it, not with the password', async (t) => {
  const { service, who, stepUp, act } = await start(t)
  const app = await enableTotp(service, who)
  const { password } = who
  service.clock.shift(630)
  const refused = await stepUp({ password })
  assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_code'])
  assert.match(refused.body.detail, /totp, recovery_code/)
  const refreshToken = who.refreshToken
  const { accessToken } = (await service.request('POST', '/api/auth/refresh', { body: { refreshToken } })).body
  assert.equal(await act(accessToken), REFUSED)
  const stepped = await stepUp({ method: 'totp', code: totpCode(app.secret, service.clock) })
  assert.equal(stepped.status, 200)
  assert.deepEqual(decodeJwt(stepped.body.accessToken)['amr'], ['pwd', 'otp'])
  assert.equal(await act(stepped.body.accessToken), ADMITTED)
  const byCode = await stepUp({ method: 'recovery_code', code: app.recoveryCodes[0] })
  assert.equal(byCode.status, 200)
  assert.equal((await stepUp({ method: 'recovery_code', code: app.recoveryCodes[0] })).status, 422)
})

test('SU-2: a factor that was enabled during the password check is required at once', async (t) => {
  const { service, who, stepUp } = await start(t)
  const held = await service.db.startTransaction().execute()
  await sql`update users set mfa_methods = '{totp}' where id = ${who.userId}`.execute(held)
  const waiting = stepUp({ password: who.password })
  await service.untilBlocked()
  await held.commit().execute()
  const refused = await waiting
  assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_code'])
})

test('SU-2: attempts with the password and with the second factor are throttled', async (t) => {
  const { service, who, stepUp } = await start(t)
  for (let n = 0; n < 5; n += 1) {
    const wrong = await stepUp({ password: 'a wrong password, surely' })
    assert.deepEqual([wrong.status, wrong.body.code], [422, 'current_password_wrong'])
  }
  const blocked = await stepUp({ password: who.password })
  assert.deepEqual([blocked.status, blocked.body.code], [429, 'login_blocked'])
  assert.match(blocked.headers.get('retry-after') ?? '', /^\d+$/)

  // The limit of step-ups a minute also counts wrong attempts.
  service.clock.shift(61)
  const app = await enableTotp(service, who)
  const code = () => totpCode(app.secret, service.clock)
  for (let n = 0; n < 5; n += 1) {
    const wrong = await stepUp({ method: 'totp', code: '000000' })
    assert.deepEqual([wrong.status, wrong.body.code, wrong.body.errors[0].pointer], [422, 'invalid_code', '/code'])
  }
  assert.equal((await stepUp({ method: 'totp', code: code() })).status, 429)
  assert.equal((await stepUp({ method: 'recovery_code', code: app.recoveryCodes[0] })).status, 429)
  service.clock.shift(901)
  const { refreshToken } = who
  const { accessToken } = (await service.request('POST', '/api/auth/refresh', { body: { refreshToken } })).body
  assert.equal((await stepUp({ method: 'totp', code: code() }, accessToken)).status, 200)
})

test('SU-2: a session that was ended meanwhile is not stepped up', async (t) => {
  const { service, who, stepUp } = await start(t)
  const app = await enableTotp(service, who)
  const held = await service.db.startTransaction().execute()
  await sql`select 1 from users where id = ${who.userId} for update`.execute(held)
  const waiting = stepUp({ method: 'totp', code: totpCode(app.secret, service.clock) })
  await service.untilBlocked()
  await sql`update sessions set ended_at = now(), end_reason = 'revoked'`.execute(held)
  await held.commit().execute()
  assert.equal((await waiting).status, 401)
})

test('SU-2, MF-7: a texted code steps up the session that requested it', async (t) => {
  const { service, who, stepUp, act } = await start(t)
  const app = await enableTotp(service, who)
  const phoneNumber = '+4915112345678'
  const { accessToken: token } = who
  const begun = await service.request('POST', '/api/auth/mfa/enable', { token, body: { method: 'sms', phoneNumber } })
  const confirmation = { factorId: begun.body.factorId, code: await textedCode(service, phoneNumber) }
  await service.request('POST', '/api/auth/mfa/confirm', { token, body: confirmation })
  const other = (await signInWithApp(service, who, app)).body.accessToken
  service.clock.shift(601)
  const challenge = (body: object) => service.request('POST', '/api/auth/step-up/challenge', { token, body })
  assert.deepEqual((await challenge({ method: 'sms' })).body, { status: 'code_sent' })
  const refused = await challenge({ method: 'webauthn' })
  assert.deepEqual([refused.status, refused.body.code], [422, 'method_not_enabled'])
  const proof = { method: 'sms', code: await textedCode(service, phoneNumber) }
  assert.equal((await stepUp(proof, other)).status, 422)
  const stepped = await stepUp(proof)
  assert.equal(await act(stepped.body.accessToken), ADMITTED)
  assert.equal((await stepUp(proof)).status, 422)
})

test('RT-5: a refresh changes neither time nor methods of the sign-in', async (t) => {
  const { service, who, act } = await start(t)
  const app = await enableTotp(service, who)
  const { body } = await signInWithApp(service, who, app)
  service.clock.shift(601)
  const refreshed = await service.request('POST', '/api/auth/refresh', { body: { refreshToken: body.refreshToken } })
  const [before, after] = [body.accessToken, refreshed.body.accessToken].map((token) => decodeJwt(token))
  assert.deepEqual(after?.['amr'], ['pwd', 'otp', 'mfa'])
  assert.deepEqual([after?.['auth_time'], after?.['amr']], [before?.['auth_time'], before?.['amr']])
  assert.equal(await act(refreshed.body.accessToken), REFUSED)
})

test('RT-5, TK-1: a step-up adds its methods to those of the sign-in', async (t) => {
  const { service, who, stepUp } = await start(t)
  const app = await enableTotp(service, who)
  const { body } = await signInWithApp(service, who, app)
  service.clock.shift(630)
  const stepped = await stepUp({ method: 'totp', code: totpCode(app.secret, service.clock) }, body.accessToken)
  assert.deepEqual(decodeJwt(stepped.body.accessToken)['amr'], ['pwd', 'otp', 'mfa'])
  const refreshed = await service.request('POST', '/api/auth/refresh', { body: { refreshToken: body.refreshToken } })
  assert.deepEqual(decodeJwt(refreshed.body.accessToken)['amr'], ['pwd', 'otp', 'mfa'])
})

test('SU-2: malformed attempts are rejected without being counted', async (t) => {
  const { service, stepUp } = await start(t)
  const nonsense = [
    {},
    { method: 'totp' },
    { code: '123456' },
    { password: '' },
    { password: 'x', method: 'totp', code: '123456' },
    { method: 'webauthn', challengeId: 'chl_x' },
    { method: 'pwd', code: 'x' },
  ]
  for (const body of nonsense) assert.equal((await stepUp(body)).status, 400, JSON.stringify(body))
  const { rows } = await sql`select 1 from attempt_pools where cardinality(failures) > 0`.execute(service.db)
  assert.equal(rows.length, 0)
  // A code for an account without a second factor counts as a wrong code.
  assert.equal((await stepUp({ method: 'totp', code: '123456' })).status, 422)
})
