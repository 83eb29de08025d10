import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { sql } from 'kysely'
import { Secret } from 'otpauth'
import { type StartOptions, startService } from '../../../test/harness.ts'
import {
  alignToStep,
  beginSignIn,
  enableTotp,
  textedCode,
  totpCode,
  verifyFactor,
} from '../../../test/lib/second-factor.ts'
import { stepOf } from './factors/totp.ts'

async function start(t: TestContext, options: StartOptions = {}) {
  const service = await startService(t, {
    ...options,
    env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '1000', ...options.env },
  })
  const who = await service.signUp()
  const { accessToken: token, email, password } = who
  const enable = (body?: object) => service.request('POST', '/api/auth/mfa/enable', { token, body })
  const confirm = (factorId: string, code: string) =>
    service.request('POST', '/api/auth/mfa/confirm', { token, body: { factorId, code } })
  const login = () => service.request('POST', '/api/auth/login', { body: { email, password } })
  const mfa = () => service.request('GET', '/api/auth/mfa', { token })
  const remove = (id: string) => service.request('DELETE', `/api/auth/mfa/${id}`, { token })
  const mailSubjects = async (): Promise<string[]> => {
    const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
    return outbox.body
      .filter(({ to }: { to: string }) => to === email)
      .map(({ subject }: { subject: string }) => subject)
  }
  return { service, who, token, enable, confirm, login, mfa, remove, mailSubjects }
}

test('MF-4: codes follow RFC 6238, with a tolerance of one time step', () => {
  const secret = Buffer.from('12345678901234567890')
  // The values are from Appendix B of RFC 6238, where codes have eight digits.
  assert.equal(stepOf(secret, '287082', new Date(59_000)), 1)
  assert.equal(stepOf(secret, '081804', new Date(1_111_111_109_000)), 37_037_036)
  assert.equal(stepOf(secret, '081804', new Date(1_111_111_109_000 + 30_000)), 37_037_036)
  assert.equal(stepOf(secret, '081804', new Date(1_111_111_109_000 - 30_000)), 37_037_036)
  assert.equal(stepOf(secret, '081804', new Date(1_111_111_109_000 + 60_000)), undefined)
  assert.equal(stepOf(secret, '081804', new Date(1_111_111_109_000 - 60_000)), undefined)
  assert.equal(stepOf(secret, '081 804', new Date(1_111_111_109_000)), 37_037_036)
  for (const nonsense of ['', '81804', '0081804', '08180a', '٠٨١٨٠٤']) {
    assert.equal(stepOf(secret, nonsense, new Date(1_111_111_109_000)), undefined)
  }
})

test('MF-1: an authenticator app has no effect until confirmed, and its secret is shown once', async (t) => {
  const { service, enable, confirm, login, mfa, mailSubjects, who } = await start(t)
  const begun = await enable()
  assert.equal(begun.status, 200)
  assert.equal(begun.headers.get('cache-control'), 'no-store')
  const { factorId, secret, otpauthUri, qrCodeSvg, method, status, expiresAt } = begun.body
  assert.deepEqual([method, status], ['totp', 'pending'])
  assert.match(factorId, /^fac_/)
  // In Base32, 32 characters encode 160 bits.
  assert.match(secret, /^[A-Z2-7]{32}$/)
  const uri = new URL(otpauthUri)
  assert.equal(uri.protocol + uri.host, 'otpauth:totp')
  assert.equal(decodeURIComponent(uri.pathname), `/Platen:${who.email}`)
  const expected = { issuer: 'Platen', secret, algorithm: 'SHA1', digits: '6', period: '30' }
  assert.deepEqual(Object.fromEntries(uri.searchParams), expected)
  assert.match(qrCodeSvg, /^<svg /)
  const lifetime = Date.parse(expiresAt) - service.clock.now().getTime()
  assert.ok(lifetime > 590_000 && lifetime <= 600_000, String(lifetime))

  assert.equal((await login()).body.status, 'authenticated')
  assert.equal((await mfa()).body.enabled, false)
  const wrong = await confirm(factorId, '000000')
  assert.deepEqual([wrong.status, wrong.body.code, wrong.body.errors[0].pointer], [422, 'invalid_code', '/code'])
  assert.equal((await login()).body.status, 'authenticated')

  const confirmed = await confirm(factorId, totpCode(secret, service.clock))
  assert.equal(confirmed.body.status, 'enabled')
  assert.equal(confirmed.body.recoveryCodes.length, 10)
  const due = (await login()).body
  assert.deepEqual(Object.keys(due).sort(), ['expiresIn', 'methods', 'mfaToken', 'status'])
  assert.deepEqual([due.status, due.expiresIn, due.methods], ['mfa_required', 300, ['totp', 'recovery_code']])
  const shown = await mfa()
  assert.deepEqual(
    shown.body.factors.map((factor: { status: string }) => factor.status),
    ['enabled'],
  )
  assert.equal(shown.body.recoveryCodesLeft, 10)
  assert.ok(!shown.text.includes(secret) && !shown.text.includes('otpauth'))
  assert.ok((await mailSubjects()).includes('A second factor was added to your account'))

  const { rows } = await sql<{ stored: Buffer }>`select secret_encrypted as stored from mfa_factors`.execute(service.db)
  assert.ok(!rows[0]?.stored.includes(Secret.fromBase32(secret).bytes))
  assert.ok(!service.logLines().includes(secret))
})

test('MF-1: an expired or replaced factor cannot be confirmed', async (t) => {
  const { service, enable, confirm, login, mfa, token, who } = await start(t)
  const first = (await enable({})).body
  const second = (await enable({ method: 'totp' })).body
  assert.notEqual(first.secret, second.secret)
  const replaced = await confirm(first.factorId, totpCode(first.secret, service.clock))
  assert.deepEqual([replaced.status, replaced.body.code], [404, 'factor_not_found'])
  service.clock.shift(590)
  const stepUp = await service.request('POST', '/api/auth/step-up', { token, body: { password: who.password } })
  service.clock.shift(11)
  const body = { factorId: second.factorId, code: totpCode(second.secret, service.clock) }
  const late = await service.request('POST', '/api/auth/mfa/confirm', { token: stepUp.body.accessToken, body })
  assert.deepEqual([late.status, late.body.code], [404, 'factor_not_found'])
  assert.equal((await login()).body.status, 'authenticated')
  assert.deepEqual((await mfa()).body, { enabled: false, factors: [], recoveryCodesLeft: 0 })
})

test('MF-1: a factor is confirmed once, by its owner, and an account has one app at a time', async (t) => {
  const { service, enable, confirm } = await start(t)
  const other = await service.signUp()
  const { factorId, secret } = (await enable()).body
  const code = totpCode(secret, service.clock)
  for (const id of [factorId, 'fac_none', `usr_${factorId.slice(4)}`]) {
    const body = { factorId: id, code }
    const foreign = await service.request('POST', '/api/auth/mfa/confirm', { token: other.accessToken, body })
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'factor_not_found'])
  }
  assert.equal((await confirm(factorId, code)).status, 200)
  for (const again of [await confirm(factorId, totpCode(secret, service.clock, 1)), await enable()]) {
    assert.deepEqual([again.status, again.body.code], [409, 'factor_exists'])
  }
})

test('MF-1: of two concurrent confirmations one succeeds, and returns the recovery codes', async (t) => {
  const { service, enable, confirm, who } = await start(t)
  const { factorId, secret } = (await enable()).body
  const held = await service.db.startTransaction().execute()
  await sql`select 1 from users where id = ${who.userId} for update`.execute(held)
  const sent = [0, 1].map(() => confirm(factorId, totpCode(secret, service.clock)))
  await service.untilBlocked(2)
  await held.commit().execute()
  const answers = await Promise.all(sent)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  const { rows } = await sql`select 1 from recovery_codes`.execute(service.db)
  assert.equal(rows.length, 10)
})

test('MF-1: the code that confirmed a factor does not sign in', async (t) => {
  const { service, enable, confirm, who } = await start(t)
  alignToStep(service.clock)
  const { factorId, secret } = (await enable()).body
  const code = totpCode(secret, service.clock)
  await confirm(factorId, code)
  const again = await verifyFactor(service, await beginSignIn(service, who), { method: 'totp', code })
  assert.deepEqual([again.status, again.body.code], [401, 'invalid_code'])
})

test('MF-1: malformed requests are rejected without effect', async (t) => {
  const { service, enable, token, mfa } = await start(t)
  const bodies = [
    { method: 'webauthn' },
    { method: 'recovery_code' },
    { method: 'sms' },
    { method: 'totp', phoneNumber: '+4930123456' },
    { phoneNumber: '+4930123456' },
    { method: 'sms', phoneNumber: 'twelve' },
    { secret: 'AAAA' },
    [],
    'totp',
  ]
  for (const body of bodies) {
    const headers = { 'content-type': 'application/json' }
    const sent = typeof body === 'string' ? { token, headers, body: JSON.stringify(body) } : { token, body }
    const refused = await service.request('POST', '/api/auth/mfa/enable', sent)
    assert.equal(refused.status, 400, JSON.stringify(body))
    assert.ok(refused.body.errors.length > 0)
  }
  const { factorId } = (await enable()).body
  for (const body of [{ factorId }, { factorId, code: 123456 }, { factorId, code: '' }, { code: '1' }, {}]) {
    assert.equal((await service.request('POST', '/api/auth/mfa/confirm', { token, body })).status, 400)
  }
  assert.equal((await mfa()).body.enabled, false)
})

test('MF-2: a pending sign-in, an old sign-in and a key cannot manage factors', async (t) => {
  const { service, who, token } = await start(t)
  const { factorId } = await enableTotp(service, who)
  const mfaToken = await beginSignIn(service, who)
  const key = await service.request('POST', '/api/api-keys', { token, body: { name: 'k', permissions: ['write'] } })
  assert.equal(key.status, 201, key.text)
  const operations = [
    ['POST', '/api/auth/mfa/enable', undefined],
    ['POST', '/api/auth/mfa/confirm', { factorId, code: '000000' }],
    ['DELETE', `/api/auth/mfa/${factorId}`, undefined],
    ['POST', '/api/auth/mfa/recovery-codes', undefined],
    ['POST', '/api/auth/webauthn/register', undefined],
    ['POST', '/api/auth/step-up', { method: 'totp', code: '000000' }],
    ['GET', '/api/auth/mfa', undefined],
  ] as const
  const attempt = async (credential: string | undefined) => {
    const answers = []
    for (const [method, path, body] of operations) {
      const options = { ...(credential === undefined ? {} : { token: credential }), body }
      const { status, body: answer } = await service.request(method, path, options)
      answers.push(`${status} ${answer.code}`)
    }
    return new Set(answers)
  }
  assert.deepEqual(await attempt(mfaToken), new Set(['401 credential_not_accepted']))
  assert.deepEqual(await attempt(undefined), new Set(['401 authentication_required']))
  assert.deepEqual(await attempt(key.body.key), new Set(['403 session_required']))
  service.clock.shift(601)
  for (const [method, path, body] of operations.slice(0, 5)) {
    const stale = await service.request(method, path, { token, body })
    assert.deepEqual([stale.status, stale.body.code, stale.body.maxAge], [403, 'step_up_required', 600], path)
  }
  const { rows } = await sql`select 1 from mfa_factors where confirmed_at is not null`.execute(service.db)
  assert.equal(rows.length, 1)
})

test('MF-2: a session that is revoked while its change waits changes nothing', async (t) => {
  const { service, who, token } = await start(t)
  const { factorId, secret } = (await service.request('POST', '/api/auth/mfa/enable', { token })).body
  const held = await service.db.startTransaction().execute()
  await sql`select 1 from users where id = ${who.userId} for update`.execute(held)
  await sql`update sessions set ended_at = now(), end_reason = 'revoked'`.execute(held)
  const body = { factorId, code: totpCode(secret, service.clock) }
  const waiting = [
    service.request('POST', '/api/auth/mfa/confirm', { token, body }),
    service.request('POST', '/api/auth/mfa/enable', { token }),
    service.request('DELETE', `/api/auth/mfa/${factorId}`, { token }),
  ]
  await service.untilBlocked(3)
  await held.commit().execute()
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 401)
  const { rows } = await sql`select id, confirmed_at from mfa_factors`.execute(service.db)
  assert.deepEqual(rows, [{ id: factorId, confirmed_at: null }])
})

test('SE-4, MF-6: adding and removing factors ends other sessions, and codes go with the last factor', async (t) => {
  const { service, who, token, login, mfa, remove, mailSubjects } = await start(t)
  const isOpen = async (other: string) => (await service.request('GET', '/me', { token: other })).status === 200
  const before = (await login()).body.accessToken
  const { factorId, secret, recoveryCodes } = await enableTotp(service, who)
  assert.deepEqual([await isOpen(before), await isOpen(token)], [false, true])

  const again = await verifyFactor(service, await beginSignIn(service, who), {
    method: 'totp',
    code: totpCode(secret, service.clock),
  })
  assert.equal(again.status, 200)
  const waiting = await beginSignIn(service, who)
  const other = await service.signUp()
  const foreign = await service.request('DELETE', `/api/auth/mfa/${factorId}`, { token: other.accessToken })
  assert.deepEqual([foreign.status, foreign.body.code], [404, 'factor_not_found'])
  assert.equal((await remove('fac_none')).status, 404)
  assert.equal((await remove(factorId)).status, 204)
  assert.deepEqual([await isOpen(again.body.accessToken), await isOpen(token)], [false, true])
  assert.deepEqual((await mfa()).body, { enabled: false, factors: [], recoveryCodesLeft: 0 })
  assert.ok((await mailSubjects()).includes('A second factor was removed from your account'))
  const late = await verifyFactor(service, waiting, { method: 'recovery_code', code: recoveryCodes[0] })
  assert.deepEqual([late.status, late.body.code], [401, 'invalid_mfa_token'])
  assert.equal((await login()).body.status, 'authenticated')
})

test('SE-4: removing an unconfirmed factor ends no session', async (t) => {
  const { service, enable, remove, login, mfa } = await start(t)
  const other = (await login()).body.accessToken
  const { factorId } = (await enable()).body
  assert.equal((await remove(factorId)).status, 204)
  assert.equal((await service.request('GET', '/me', { token: other })).status, 200)
  assert.deepEqual((await mfa()).body.factors, [])
})

test('MF-7: a telephone number becomes a factor by its code, and replacing it sends a notice', async (t) => {
  const { service, enable, confirm, login, mfa, mailSubjects } = await start(t)
  const add = async (phoneNumber: string) => {
    const begun = await enable({ method: 'sms', phoneNumber })
    assert.equal(begun.status, 200, begun.text)
    const { factorId, ...rest } = begun.body
    assert.deepEqual(Object.keys(rest).sort(), ['expiresAt', 'method', 'status'])
    const code = await textedCode(service, phoneNumber)
    return confirm(factorId, `${code.slice(0, 3)} ${code.slice(3)}`)
  }
  const first = await add('+4915112345678')
  assert.equal(first.body.recoveryCodes.length, 10)
  assert.deepEqual((await login()).body.methods, ['sms', 'recovery_code'])
  const same = await enable({ method: 'sms', phoneNumber: '+49 151 12345678' })
  assert.deepEqual([same.status, same.body.code], [409, 'factor_exists'])
  const second = await add('+4915187654321')
  assert.deepEqual(second.body, { status: 'enabled' })
  const { factors } = (await mfa()).body
  assert.deepEqual(
    factors.map((factor: { phoneNumber: string }) => factor.phoneNumber),
    ['•••••••••••321'],
  )
  assert.ok((await mailSubjects()).includes('The telephone number of your account was changed'))
  const { rows } = await sql`select type from security_events where type = 'phone_changed'`.execute(service.db)
  assert.equal(rows.length, 1)
})

test('MF-5: first codes of a factor are throttled like all others', async (t) => {
  const { service, enable, confirm } = await start(t)
  const { factorId, secret } = (await enable()).body
  for (let n = 0; n < 5; n += 1) assert.equal((await confirm(factorId, '000000')).status, 422)
  const blocked = await confirm(factorId, totpCode(secret, service.clock))
  assert.deepEqual([blocked.status, blocked.body.code], [429, 'login_blocked'])
})
