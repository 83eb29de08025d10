import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { type StartOptions, startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import {
  alignToStep,
  beginSignIn,
  enableTotp,
  signInWithApp,
  textedCode,
  totpCode,
  verifyFactor,
} from '../../../test/lib/second-factor.ts'
import { mailedToken } from '../../../test/people.ts'

const WRONG = { method: 'totp', code: '000000' }

async function start(t: TestContext, options: StartOptions = {}) {
  const env = { PLATEN_LOGIN_ATTEMPTS_PER_IP: '1000', ...options.env }
  const service = await startService(t, { ...options, env })
  const who = await service.signUp()
  const app = await enableTotp(service, who)
  const begin = (headers?: Record<string, string>) => beginSignIn(service, who, headers)
  const appCode = (steps = 0) => ({ method: 'totp', code: totpCode(app.secret, service.clock, steps) })
  return { service, who, app, begin, appCode }
}

const said = ({ status, body }: TestResponse): string => `${status} ${body.code ?? body.status}`

async function times(count: number, work: () => Promise<TestResponse>): Promise<string[]> {
  const answers: string[] = []
  for (let n = 0; n < count; n += 1) answers.push(said(await work()))
  return answers
}

/** Sends requests while the row of the user is locked, so that they overlap. */
async function together(service: TestService, userId: string, send: () => Promise<TestResponse>[], blocked: number) {
  const held = await service.db.startTransaction().execute()
  await sql`select 1 from users where id = ${userId} for update`.execute(held)
  const sent = send()
  await service.untilBlocked(blocked)
  await held.commit().execute()
  return (await Promise.all(sent)).map(said)
}

test('MF-3, TK-1: password and app together open a session; the mfaToken alone gives no access', async (t) => {
  const { service, begin, appCode } = await start(t)
  const mfaToken = await begin()
  assert.match(mfaToken, /^[A-Za-z0-9_-]{43}$/)
  const { rows } = await sql`select * from pending_sign_ins`.execute(service.db)
  assert.ok(!JSON.stringify(rows).includes(mfaToken))
  assert.equal((await service.request('GET', '/me', { token: mfaToken })).status, 401)
  const result = await verifyFactor(service, mfaToken, appCode())
  assert.deepEqual([result.status, result.body.status], [200, 'authenticated'])
  assert.equal(result.headers.get('cache-control'), 'no-store')
  assert.match(result.headers.get('set-cookie') ?? '', /^platen_device=/)
  assert.deepEqual(decodeJwt(result.body.accessToken)['amr'], ['pwd', 'otp', 'mfa'])
  assert.equal((await service.request('GET', '/me', { token: result.body.accessToken })).status, 200)
  const { body } = await service.request('GET', '/me/security-events', { token: result.body.accessToken })
  const signIn = body.data.find(({ type }: { type: string }) => type === 'sign_in')
  assert.deepEqual([signIn.method, signIn.details.amr], ['password', 'pwd otp mfa'])
})

test('MF-4: codes of the adjacent time steps are accepted, others are not', async (t) => {
  const { service, begin, appCode } = await start(t)
  // The code of the time step before confirmed the app.
  service.clock.shift(60)
  for (const [steps, status] of [
    [-2, 401],
    [2, 401],
    [-1, 200],
    [0, 200],
    [1, 200],
  ] as const) {
    assert.equal((await verifyFactor(service, await begin(), appCode(steps))).status, status, String(steps))
  }
})

test('MF-4: a time step is accepted once for sign-in and step-up, and no earlier one after it', async (t) => {
  const { service, who, begin, appCode } = await start(t)
  const stepUp = (steps: number) =>
    service.request('POST', '/api/auth/step-up', { token: who.accessToken, body: appCode(steps) })
  service.clock.shift(60)
  assert.equal((await verifyFactor(service, await begin(), appCode(0))).status, 200)
  for (const steps of [0, -1]) {
    assert.equal(said(await verifyFactor(service, await begin(), appCode(steps))), '401 invalid_code')
    assert.equal(said(await stepUp(steps)), '422 invalid_code')
  }
  assert.equal((await stepUp(1)).status, 200)
  assert.equal(said(await verifyFactor(service, await begin(), appCode(1))), '401 invalid_code')
})

test('MF-4: of twenty concurrent sign-ins with one code, one succeeds', async (t) => {
  const { service, who, begin, appCode } = await start(t)
  const tokens = await Promise.all(Array.from({ length: 20 }, () => begin()))
  const send = () => tokens.map((token) => verifyFactor(service, token, appCode()))
  const answers = await together(service, who.userId, send, 5)
  assert.equal(answers.filter((answer) => answer === '200 authenticated').length, 1)
})

test('MF-4: one statement claims a step, even after concurrent reads of the factor', async (t) => {
  const { service, who, app, begin, appCode } = await start(t)
  // Another node uses the time step after this one read the factor and before it claims the step.
  const held = await service.db.startTransaction().execute()
  const step = Math.floor(service.clock.now().getTime() / 30_000)
  await sql`update mfa_factors set last_step = ${step} where id = ${app.factorId} and user_id = ${who.userId}`.execute(
    held,
  )
  const waiting = verifyFactor(service, await begin(), appCode())
  await service.untilBlocked()
  await held.commit().execute()
  assert.equal(said(await waiting), '401 invalid_code')
})

test('MF-3: of twenty right codes for one pending sign-in, one opens a session and none counts as a failure', async (t) => {
  const { service, who, begin, appCode, app } = await start(t)
  const mfaToken = await begin()
  // Later requests must not be verified at all, because their time step is used and they would count as wrong.
  const proofs = Array.from({ length: 10 }, () => appCode())
  const codes = app.recoveryCodes.map((code) => ({ method: 'recovery_code', code }))
  const send = () => [...proofs, ...codes].map((proof) => verifyFactor(service, mfaToken, proof))
  const answers = await together(service, who.userId, send, 5)
  assert.deepEqual(new Set(answers), new Set(['200 authenticated', '401 invalid_mfa_token']))
  assert.equal(answers.filter((answer) => answer.startsWith('200')).length, 1)
  const { rows } = await sql`select 1 from attempt_pools where cardinality(failures) > 0`.execute(service.db)
  assert.equal(rows.length, 0)
})

test('MF-5: five wrong codes block the account and end the pending sign-in', async (t) => {
  const { service, who, begin, appCode, app } = await start(t)
  const other = await begin()
  const mfaToken = await begin()
  assert.deepEqual(await times(5, () => verifyFactor(service, mfaToken, WRONG)), Array(5).fill('401 invalid_code'))
  const blocked = await verifyFactor(service, mfaToken, appCode())
  assert.equal(said(blocked), '429 login_blocked')
  assert.equal(blocked.body.block, 'temporary')
  const retryAfter = blocked.headers.get('retry-after') ?? ''
  assert.ok(/^\d+$/.test(retryAfter) && Number(retryAfter) > 890 && Number(retryAfter) <= 900, retryAfter)
  const recovery = { method: 'recovery_code', code: app.recoveryCodes[0] }
  for (const token of [other, await begin()]) {
    assert.equal(said(await verifyFactor(service, token, appCode())), '429 login_blocked')
    assert.equal(said(await verifyFactor(service, token, recovery)), '429 login_blocked')
  }
  const stepUp = await service.request('POST', '/api/auth/step-up', { token: who.accessToken, body: appCode() })
  assert.equal(said(stepUp), '429 login_blocked')
  // The pending sign-in stays invalid even if the block ends early.
  await sql`delete from attempt_pools where pool like 'code:%'`.execute(service.db)
  assert.equal(said(await verifyFactor(service, mfaToken, appCode())), '401 invalid_mfa_token')
  assert.equal(said(await verifyFactor(service, other, appCode())), '200 authenticated')
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  const told = outbox.body.filter(({ subject }: { subject: string }) => subject === 'Wrong codes for your account')
  assert.equal(told.length, 1)
})

test('MF-5: failures count together over all factors and pending sign-ins', async (t) => {
  const { service, begin, appCode } = await start(t)
  const proofs = [
    WRONG,
    { method: 'recovery_code', code: '0000-0000-0000-0000' },
    { method: 'sms', code: '123456' },
    {
      method: 'webauthn',
      challengeId: 'chl_none',
      credential: {
        id: 'AAAA',
        rawId: 'AAAA',
        type: 'public-key',
        response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
      },
    },
    WRONG,
  ]
  for (const proof of proofs) assert.equal(said(await verifyFactor(service, await begin(), proof)), '401 invalid_code')
  assert.equal(said(await verifyFactor(service, await begin(), appCode())), '429 login_blocked')
  service.clock.shift(901)
  assert.equal((await verifyFactor(service, await begin(), appCode())).status, 200)
})

test('MF-5: fifty wrong codes within a day at any speed block for a day', async (t) => {
  const { service, begin, appCode } = await start(t)
  const guess = async () => verifyFactor(service, await begin(), WRONG)
  for (let wrong = 0; wrong < 48; wrong += 4) {
    assert.deepEqual(await times(4, guess), Array(4).fill('401 invalid_code'))
    service.clock.shift(61)
  }
  assert.deepEqual(await times(2, guess), Array(2).fill('401 invalid_code'))
  const blocked = await verifyFactor(service, await begin(), appCode())
  assert.deepEqual([blocked.status, blocked.body.block], [429, 'extended'])
  service.clock.shift(86_401)
  assert.equal((await verifyFactor(service, await begin(), appCode())).status, 200)
  assert.deepEqual(await times(4, guess), Array(4).fill('401 invalid_code'))
})

test('MF-5: of fifty concurrent wrong codes at most five are verified', async (t) => {
  const { service, begin } = await start(t)
  const tokens = await Promise.all(Array.from({ length: 10 }, () => begin()))
  const sent = Array.from({ length: 50 }, (_, n) => verifyFactor(service, tokens[n % 10] ?? '', WRONG))
  const answers = (await Promise.all(sent)).map(said)
  assert.equal(answers.filter((answer) => answer === '401 invalid_code').length, 5)
  assert.ok(
    answers.every((answer) => ['401 invalid_code', '401 invalid_mfa_token', '429 login_blocked'].includes(answer)),
  )
})

test('MF-5, BF-8: an IP that tries codes of many accounts is blocked, others are not', async (t) => {
  const env = { PLATEN_LOGIN_ATTEMPTS_PER_IP: '4', PLATEN_TRUSTED_PROXIES: '127.0.0.1' }
  const { service, who, begin, appCode } = await start(t, { env })
  const other = await service.signUp()
  await enableTotp(service, other)
  const from = (ip: string) => ({ 'x-forwarded-for': ip })
  const foreign = await beginSignIn(service, other, from('203.0.113.9'))
  assert.deepEqual(
    await times(2, () => verifyFactor(service, foreign, WRONG, from('203.0.113.7'))),
    Array(2).fill('401 invalid_code'),
  )
  const mine = await begin(from('203.0.113.9'))
  assert.deepEqual(
    await times(2, () => verifyFactor(service, mine, WRONG, from('203.0.113.7'))),
    Array(2).fill('401 invalid_code'),
  )
  assert.equal(said(await verifyFactor(service, mine, appCode(), from('203.0.113.7'))), '429 login_blocked')
  // Passwords from the same IP address count apart.
  assert.equal((await beginSignIn(service, who, from('203.0.113.7'))).length, 43)
  assert.equal((await verifyFactor(service, mine, appCode(), from('203.0.113.8'))).status, 200)
})

test('BF-9: blocked codes do not block passwords, and a reset does not lift their block', async (t) => {
  const { service, who, begin, appCode } = await start(t)
  const mfaToken = await begin()
  await times(5, () => verifyFactor(service, mfaToken, WRONG))
  assert.equal(said(await verifyFactor(service, await begin(), appCode())), '429 login_blocked')
  await service.request('POST', '/api/auth/password/forgot', { body: { email: who.email } })
  const token = await mailedToken(service.request, service.origin, who.email)
  const newPassword = 'gravel tango lighthouse'
  const reset = await service.request('POST', '/api/auth/password/reset', { body: { token, newPassword } })
  assert.equal(reset.status, 204)
  // A user who resets the password by mail has verified one factor, and must not get more attempts at the other.
  const again = await beginSignIn(service, { ...who, password: newPassword })
  assert.equal(said(await verifyFactor(service, again, appCode())), '429 login_blocked')
})

test('BF-9: wrong passwords do not block codes', async (t) => {
  const { service, who, begin, appCode } = await start(t)
  const mfaToken = await begin()
  const wrong = { email: who.email, password: 'a wrong password, surely' }
  await times(5, () => service.request('POST', '/api/auth/login', { body: wrong }))
  assert.equal((await service.request('POST', '/api/auth/login', { body: wrong })).status, 429)
  assert.equal((await verifyFactor(service, mfaToken, appCode())).status, 200)
})

test('BF-7, MF-5: an attacker with the password does not lock the owner out of a known device', async (t) => {
  const { service, who, app, begin, appCode } = await start(t)
  const known = await signInWithApp(service, who, app)
  const cookie = known.headers.get('set-cookie')?.split(';')[0] ?? ''
  service.clock.shift(30)
  const stranger = await begin()
  await times(5, () => verifyFactor(service, stranger, WRONG))
  assert.equal(said(await verifyFactor(service, await begin(), appCode())), '429 login_blocked')
  assert.equal((await verifyFactor(service, await begin({ cookie }), appCode(), { cookie })).status, 200)
  // The device has a separate limit of five attempts.
  const mfaToken = await begin({ cookie })
  assert.deepEqual(
    await times(5, () => verifyFactor(service, mfaToken, WRONG, { cookie })),
    Array(5).fill('401 invalid_code'),
  )
  assert.equal(said(await verifyFactor(service, mfaToken, appCode(1), { cookie })), '429 login_blocked')
})

test('MF-5: further password resets allow no further attempts to guess a code', async (t) => {
  const { service, who } = await start(t)
  const reset = async (newPassword: string): Promise<string> => {
    // An account gets one such mail in a minute.
    service.clock.shift(61)
    await service.request('POST', '/api/auth/password/forgot', { body: { email: who.email } })
    const token = await mailedToken(service.request, service.origin, who.email)
    const done = await service.request('POST', '/api/auth/password/reset', { body: { token, newPassword } })
    return done.headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  const guess = async (password: string, times: number, cookie: string): Promise<string[]> => {
    const mfaToken = await beginSignIn(service, { ...who, password }, { cookie })
    const answers: string[] = []
    for (let n = 0; n < times; n += 1) answers.push(said(await verifyFactor(service, mfaToken, WRONG, { cookie })))
    return answers
  }
  const first = await reset('gravel tango lighthouse')
  assert.deepEqual(await guess('gravel tango lighthouse', 2, ''), Array(2).fill('401 invalid_code'))
  assert.deepEqual(await guess('gravel tango lighthouse', 3, first), Array(3).fill('401 invalid_code'))
  const second = await reset('another quiet harbour')
  assert.deepEqual(await guess('another quiet harbour', 1, second), ['429 login_blocked'])
})

test('MF-3, MF-5: a pending sign-in is valid once, for five minutes, and unknown tokens are rejected', async (t) => {
  const { service, begin, appCode } = await start(t)
  for (const token of ['x', 'a'.repeat(43)]) {
    assert.equal(said(await verifyFactor(service, token, appCode())), '401 invalid_mfa_token')
    const challenge = { body: { mfaToken: token, method: 'sms' } }
    assert.equal(said(await service.request('POST', '/api/auth/mfa/challenge', challenge)), '401 invalid_mfa_token')
  }
  const used = await begin()
  assert.equal((await verifyFactor(service, used, appCode())).status, 200)
  service.clock.shift(30)
  const again = await verifyFactor(service, used, appCode())
  assert.equal(said(again), '401 invalid_mfa_token')
  assert.match(again.headers.get('www-authenticate') ?? '', /^Bearer/)
  const late = await begin()
  service.clock.shift(301)
  assert.equal(said(await verifyFactor(service, late, appCode())), '401 invalid_mfa_token')
  const challenge = { body: { mfaToken: late, method: 'sms' } }
  assert.equal(said(await service.request('POST', '/api/auth/mfa/challenge', challenge)), '401 invalid_mfa_token')
})

test('SE-4, EM-4: a new password, a reset, a disabled account and a sign-out elsewhere end a pending sign-in', async (t) => {
  const { service, who, begin, appCode } = await start(t)
  const admin = await service.signUp({ role: 'admin' })
  const token = who.accessToken
  const newPassword = 'gravel tango lighthouse'
  const change = () =>
    service.request('POST', '/api/auth/password/change', {
      token,
      body: { currentPassword: who.password, newPassword },
    })
  const waiting = await begin()
  assert.equal((await service.request('POST', '/api/auth/sessions/revoke-others', { token })).status, 204)
  assert.equal(said(await verifyFactor(service, waiting, appCode())), '401 invalid_mfa_token')
  const beforeChange = await begin()
  assert.equal((await change()).status, 204)
  assert.equal(said(await verifyFactor(service, beforeChange, appCode())), '401 invalid_mfa_token')

  const beforeReset = await beginSignIn(service, { ...who, password: newPassword })
  await service.request('POST', '/api/auth/password/forgot', { body: { email: who.email } })
  const reset = { token: await mailedToken(service.request, service.origin, who.email), newPassword: who.password }
  assert.equal((await service.request('POST', '/api/auth/password/reset', { body: reset })).status, 204)
  assert.equal(said(await verifyFactor(service, beforeReset, appCode())), '401 invalid_mfa_token')

  const beforeDisabled = await begin()
  const disable = (disabled: boolean) =>
    service.request('PATCH', `/users/${who.userId}`, { token: admin.accessToken, body: { disabled } })
  assert.equal((await disable(true)).status, 200)
  assert.equal(said(await verifyFactor(service, beforeDisabled, appCode())), '401 invalid_mfa_token')
  assert.equal((await disable(false)).status, 200)
  assert.equal(said(await verifyFactor(service, beforeDisabled, appCode())), '401 invalid_mfa_token')
})

test('SE-4: a sign-in that waits for the lock while the password changes fails', async (t) => {
  const { service, who, begin, appCode } = await start(t)
  const mfaToken = await begin()
  const held = await service.db.startTransaction().execute()
  await sql`select 1 from users where id = ${who.userId} for no key update`.execute(held)
  const waiting = verifyFactor(service, mfaToken, appCode())
  await service.untilBlocked()
  await sql`delete from pending_sign_ins where user_id = ${who.userId}`.execute(held)
  await held.commit().execute()
  assert.equal(said(await waiting), '401 invalid_mfa_token')
  // The failed sign-in did not consume the code.
  assert.equal((await verifyFactor(service, await begin(), appCode())).status, 200)
})

test('MF-7: a texted code completes only the sign-in it was sent for', async (t) => {
  const { service, who, begin, appCode, app } = await start(t)
  const phoneNumber = '+4915112345678'
  const { accessToken: token } = who
  const begun = await service.request('POST', '/api/auth/mfa/enable', { token, body: { method: 'sms', phoneNumber } })
  const body = { factorId: begun.body.factorId, code: await textedCode(service, phoneNumber) }
  assert.equal((await service.request('POST', '/api/auth/mfa/confirm', { token, body })).status, 200)
  service.clock.shift(61)
  const [mine, other] = [await begin(), await begin()]
  const challenge = { body: { mfaToken: mine, method: 'sms' } }
  const sent = await service.request('POST', '/api/auth/mfa/challenge', challenge)
  assert.deepEqual([sent.status, sent.body], [200, { status: 'code_sent' }])
  const code = await textedCode(service, phoneNumber)
  const proof = { method: 'sms', code }
  assert.equal(said(await verifyFactor(service, other, proof)), '401 invalid_code')
  const stepUp = await service.request('POST', '/api/auth/step-up', { token, body: proof })
  assert.equal(said(stepUp), '422 invalid_code')
  const result = await verifyFactor(service, mine, proof)
  assert.deepEqual(decodeJwt(result.body.accessToken)['amr'], ['pwd', 'sms', 'mfa'])
  assert.equal((await verifyFactor(service, await begin(), appCode())).status, 200)
  assert.equal(
    (await verifyFactor(service, await begin(), { method: 'recovery_code', code: app.recoveryCodes[0] })).status,
    200,
  )
})

test('MF-3: factors that the account lacks and malformed requests are rejected', async (t) => {
  const { service, begin } = await start(t)
  const mfaToken = await begin()
  alignToStep(service.clock)
  const challenge = (body: object) => service.request('POST', '/api/auth/mfa/challenge', { body })
  for (const method of ['sms', 'webauthn']) {
    assert.equal(said(await challenge({ mfaToken, method })), '422 method_not_enabled')
  }
  assert.equal((await challenge({ mfaToken, method: 'totp' })).status, 400)
  assert.equal((await challenge({ method: 'sms' })).status, 400)
  const nonsense = [
    {},
    { method: 'totp' },
    { method: 'password', code: 'x' },
    { method: 'totp', code: 123456 },
    { method: 'totp', code: 'x'.repeat(65) },
    { method: 'totp', code: '123456', challengeId: 'chl_x' },
    { method: 'webauthn', code: '123456' },
    { method: 'webauthn', challengeId: 'chl_x', credential: 'x' },
    { method: 'webauthn', challengeId: 'chl_x', credential: {} },
  ]
  for (const proof of nonsense) {
    assert.equal((await verifyFactor(service, mfaToken, proof)).status, 400, JSON.stringify(proof))
  }
})
