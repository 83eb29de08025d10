import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTwilio } from '../../../../test/fakes/twilio.ts'
import { type StartOptions, startService, type TestResponse } from '../../../../test/harness.ts'
import { until } from '../../../../test/lib/until.ts'
import type { SignedUp } from '../../../../test/people.ts'
import { parsePhoneNumber, sendSmsCode, takeSmsCode } from './codes.ts'

const NUMBER = '+4915112345678'
const OTHER_NUMBER = '+4917012345678'

interface Text {
  channel: string
  to: string
  text: string
}

/** Starts a service that keeps text messages in the outbox, with helpers for its users. */
async function startTexting(t: TestContext, options: StartOptions = {}) {
  const service = await startService(t, options)
  const post = (path: string, body?: unknown, token?: string): Promise<TestResponse> =>
    service.request('POST', path, {
      ...(body === undefined ? {} : { body }),
      ...(token === undefined ? {} : { token }),
    })

  const texts = async (): Promise<Text[]> => {
    const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
    return body.filter(({ channel }: Text) => channel === 'sms')
  }

  const newestCode = async (number = NUMBER): Promise<string> => {
    const text = (await texts()).find(({ to }) => to === number)?.text ?? ''
    const code = /\b\d{6}\b/.exec(text)?.[0]
    assert.ok(code !== undefined, text)
    return code
  }

  const begin = async ({ accessToken }: SignedUp, phoneNumber = NUMBER): Promise<string> => {
    const { status, body, text } = await post('/api/auth/mfa/enable', { method: 'sms', phoneNumber }, accessToken)
    assert.equal(status, 200, text)
    return body.factorId
  }

  const confirm = async ({ accessToken }: SignedUp, factorId: string, code: string): Promise<TestResponse> =>
    post('/api/auth/mfa/confirm', { factorId, code }, accessToken)

  /**
   * Signs up a user and enrols a telephone number as second factor. Then it shifts the clock, so that the limits allow
   * another message.
   */
  const enrol = async (number = NUMBER): Promise<SignedUp & { recoveryCodes: string[] }> => {
    const person = await service.signUp()
    const factorId = await begin(person, number)
    const { status, body, text } = await confirm(person, factorId, await newestCode(number))
    assert.equal(status, 200, text)
    service.clock.shift(60)
    return { ...person, recoveryCodes: body.recoveryCodes }
  }

  const logIn = async ({ email, password }: SignedUp): Promise<{ mfaToken: string; methods: string[] }> => {
    const { status, body, text } = await post('/api/auth/login', { email, password })
    assert.deepEqual([status, body.status], [200, 'mfa_required'], text)
    return body
  }

  const challenge = async (mfaToken: string): Promise<void> => {
    const { status, text } = await post('/api/auth/mfa/challenge', { mfaToken, method: 'sms' })
    assert.equal(status, 200, text)
  }

  const verify = (mfaToken: string, code: string): Promise<TestResponse> =>
    post('/api/auth/mfa/verify', { mfaToken, method: 'sms', code })

  const challengeStepUp = async ({ accessToken }: SignedUp): Promise<void> => {
    const { status, text } = await post('/api/auth/step-up/challenge', { method: 'sms' }, accessToken)
    assert.equal(status, 200, text)
  }

  const stepUp = ({ accessToken }: SignedUp, code: string): Promise<TestResponse> =>
    post('/api/auth/step-up', { method: 'sms', code }, accessToken)

  return { service, post, texts, newestCode, begin, confirm, enrol, logIn, challenge, verify, challengeStepUp, stepUp }
}

const wrongOf = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

test('MF-7: a texted code has six digits and completes one sign-in; recovery codes remain available', async (t) => {
  const { texts, newestCode, enrol, logIn, challenge, verify } = await startTexting(t)
  const person = await enrol()
  assert.equal(person.recoveryCodes.length, 10)
  const sentBefore = (await texts()).length

  const { mfaToken, methods } = await logIn(person)
  assert.deepEqual(methods, ['sms', 'recovery_code'])
  assert.equal((await texts()).length, sentBefore, 'nothing is sent before it is asked for')
  await challenge(mfaToken)
  const code = await newestCode()
  const result = await verify(mfaToken, code)
  assert.deepEqual([result.status, result.body.status], [200, 'authenticated'], result.text)

  const again = await logIn(person)
  const used = await verify(again.mfaToken, code)
  assert.deepEqual([used.status, used.body.code], [401, 'invalid_code'])
})

test('LG-2: neither a texted code nor its number appears in logs or security events', async (t) => {
  const { service, texts, newestCode, enrol, logIn, challenge, verify } = await startTexting(t)
  const { mfaToken } = await logIn(await enrol())
  await challenge(mfaToken)
  const code = await newestCode()
  await verify(mfaToken, wrongOf(code))
  await verify(mfaToken, code)
  const events = await service.db.selectFrom('security_events').selectAll().execute()
  const written = service.logLines() + JSON.stringify(events.map(({ details, personal }) => ({ details, personal })))
  // The pattern matches whole numbers only, because six digits may occur within a timestamp.
  for (const { text } of await texts()) assert.doesNotMatch(written, new RegExp(`\\b${text.slice(0, 6)}\\b`))
  assert.ok(!written.includes(NUMBER.slice(1)))
})

test('MF-7: a texted code is valid for ten minutes', async (t) => {
  const { service, newestCode, enrol, challengeStepUp, stepUp } = await startTexting(t, {
    env: { PLATEN_ACCESS_TOKEN_SECONDS: '3600' },
  })
  const person = await enrol()
  await challengeStepUp(person)
  service.clock.shift(590)
  assert.equal((await stepUp(person, await newestCode())).status, 200)
  await challengeStepUp(person)
  service.clock.shift(601)
  const late = await stepUp(person, await newestCode())
  assert.deepEqual([late.status, late.body.code], [422, 'invalid_code'])
})

test('MF-7: a texted code is valid only for its purpose', async (t) => {
  const { service, newestCode, enrol, logIn, challenge, verify, challengeStepUp, stepUp } = await startTexting(t)
  const ada = await enrol(NUMBER)
  const bea = await enrol(OTHER_NUMBER)

  const first = await logIn(ada)
  const second = await logIn(ada)
  const ofBea = await logIn(bea)
  await challenge(first.mfaToken)
  const code = await newestCode()
  assert.equal((await verify(second.mfaToken, code)).body.code, 'invalid_code', 'another sign-in')
  assert.equal((await stepUp(ada, code)).body.code, 'invalid_code', 'another purpose')
  assert.equal((await verify(ofBea.mfaToken, code)).body.code, 'invalid_code', 'another user')
  assert.equal((await verify(first.mfaToken, code)).status, 200)

  service.clock.shift(61)
  await challengeStepUp(ada)
  const third = await logIn(ada)
  assert.equal((await verify(third.mfaToken, await newestCode())).body.code, 'invalid_code', 'a step-up')
})

test('MF-7: a newer code replaces the one before for the same purpose', async (t) => {
  const { service, newestCode, enrol, logIn, challenge, verify } = await startTexting(t)
  const { mfaToken } = await logIn(await enrol())
  await challenge(mfaToken)
  const older = await newestCode()
  service.clock.shift(61)
  await challenge(mfaToken)
  const newer = await newestCode()
  if (newer !== older) assert.equal((await verify(mfaToken, older)).body.code, 'invalid_code')
  assert.equal((await verify(mfaToken, newer)).status, 200)
})

test('MF-7: a code to the previous number is invalid after the number changed', async (t) => {
  const { newestCode, begin, confirm, enrol, challengeStepUp, stepUp } = await startTexting(t)
  const person = await enrol(NUMBER)
  await challengeStepUp(person)
  const toOldNumber = await newestCode(NUMBER)
  const factorId = await begin(person, OTHER_NUMBER)
  assert.equal((await confirm(person, factorId, await newestCode(OTHER_NUMBER))).status, 200)
  const answer = await stepUp(person, toOldNumber)
  assert.deepEqual([answer.status, answer.body.code], [422, 'invalid_code'])
})

test('MF-7: the code of one enrolment does not confirm another number', async (t) => {
  const { newestCode, begin, confirm, service } = await startTexting(t)
  const person = await service.signUp()
  const first = await begin(person, NUMBER)
  const toFirst = await newestCode(NUMBER)
  const second = await begin(person, OTHER_NUMBER)
  assert.equal((await confirm(person, second, toFirst)).body.code, 'invalid_code')
  assert.equal((await confirm(person, first, toFirst)).status, 404)
  assert.equal((await confirm(person, second, await newestCode(OTHER_NUMBER))).status, 200)
})

test('MF-7: five wrong attempts at any speed invalidate the code', async (t) => {
  const { service, newestCode, enrol, challengeStepUp, stepUp } = await startTexting(t)
  const person = await enrol()
  await challengeStepUp(person)
  const code = await newestCode()
  for (let n = 1; n <= 5; n += 1) {
    assert.equal((await stepUp(person, wrongOf(code))).body.code, 'invalid_code')
    service.clock.shift(61)
  }
  const answer = await stepUp(person, code)
  assert.deepEqual([answer.status, answer.body.code], [422, 'invalid_code'])
})

test('MF-5, MF-8: while codes are blocked no message is sent, except to a known device', async (t) => {
  const env = { PLATEN_LOGIN_ATTEMPTS_PER_IP: '5', PLATEN_TRUSTED_PROXIES: '127.0.0.1' }
  const { service, post, texts, newestCode, enrol, logIn, challenge, verify } = await startTexting(t, { env })
  const person = await enrol()
  const { mfaToken } = await logIn(person)
  await challenge(mfaToken)
  const result = await verify(mfaToken, await newestCode())
  const cookie = result.headers.get('set-cookie')?.split(';')[0] ?? ''
  service.clock.shift(61)
  const sent = (await texts()).length

  /**
   * Requests a code, or sends a wrong one.
   *
   * @returns status and code of the response
   */
  const ask = async (headers: Record<string, string>, wrongCode?: string): Promise<string> => {
    const { email, password } = person
    const { body: login } = await service.request('POST', '/api/auth/login', { body: { email, password }, headers })
    const proof = { mfaToken: login.mfaToken, method: 'sms', ...(wrongCode === undefined ? {} : { code: wrongCode }) }
    const path = `/api/auth/mfa/${wrongCode === undefined ? 'challenge' : 'verify'}`
    const { status, body, headers: answered } = await service.request('POST', path, { body: proof, headers })
    if (status === 429) assert.match(answered.get('retry-after') ?? '', /^[1-9]\d*$/)
    return `${status} ${body.code ?? body.status}`
  }
  const stranger = { 'x-forwarded-for': '203.0.113.7' }
  for (let n = 0; n < 5; n += 1) assert.equal(await ask(stranger, '000000'), '401 invalid_code')
  assert.equal(await ask(stranger), '429 login_blocked', 'the account')
  const stepUp = await post('/api/auth/step-up/challenge', { method: 'sms' }, result.body.accessToken)
  assert.deepEqual([stepUp.status, stepUp.body.code], [429, 'login_blocked'])
  assert.equal((await texts()).length, sent)

  assert.equal(await ask({ ...stranger, cookie }), '429 login_blocked', 'the client address')

  const known = { cookie, 'x-forwarded-for': '203.0.113.8' }
  assert.equal(await ask(known), '200 code_sent')
  service.clock.shift(61)
  for (let n = 0; n < 5; n += 1) assert.equal(await ask(known, '000000'), '401 invalid_code')
  assert.equal(await ask(known), '429 login_blocked', 'the device')
  assert.equal((await texts()).length, sent + 1)
})

// All requests wait for the locked row. If the service read the code first and deleted it afterwards, each request
// would accept it.
test('MF-7: of many concurrent uses of one code one succeeds', async (t) => {
  const { service, newestCode, enrol, challengeStepUp } = await startTexting(t)
  const person = await enrol()
  await challengeStepUp(person)
  const code = await newestCode()
  const { services } = service.services.auth
  const { id: boundTo } = await service.db.selectFrom('sessions').select('id').executeTakeFirstOrThrow()
  const given = { userId: person.userId, purpose: 'step_up', boundTo, code } as const
  const uses: Promise<boolean>[] = []
  await service.db.transaction().execute(async (trx) => {
    await trx.selectFrom('auth_challenges').select('id').forUpdate().execute()
    for (let n = 0; n < 5; n += 1) {
      uses.push(services.db.transaction().execute((using) => takeSmsCode(using, services, given)))
    }
    await service.untilBlocked(5)
  })
  assert.equal((await Promise.all(uses)).filter((isTaken) => isTaken).length, 1)
})

test('MF-7: the database alone does not reveal a code', async (t) => {
  const { service, newestCode, begin } = await startTexting(t)
  await begin(await service.signUp())
  const code = await newestCode()
  const [row] = await service.db.selectFrom('auth_challenges').selectAll().execute()
  assert.equal(row?.expected.length, 32)
  assert.ok(!JSON.stringify({ ...row, expected: row?.expected.toString('utf8') }).includes(code))
})

test('MF-8: a second message within 60 s gets Retry-After and has no effect', async (t) => {
  const { service, post, texts, begin } = await startTexting(t)
  await begin(await service.signUp())
  const { accessToken } = await service.signUp()
  const refused = await post('/api/auth/mfa/enable', { method: 'sms', phoneNumber: NUMBER }, accessToken)
  assert.deepEqual([refused.status, refused.body.code], [429, 'sms_limited'])
  assert.match(refused.headers.get('retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/)
  assert.equal((await texts()).length, 1)
  const { body } = await service.request('GET', '/api/auth/mfa', { token: accessToken })
  assert.deepEqual(body.factors, [])
})

test('MF-8: a number of an excluded country gets 422, a malformed one 400, without a call to the SMS service', async (t) => {
  const twilio = await startTwilio(t)
  const { service, post, begin } = await startTexting(t, {
    env: { PLATEN_SMS_URL: twilio.url, PLATEN_SMS_COUNTRIES: 'DE' },
  })
  service.startJobs()
  const person = await service.signUp()
  const tries: [string, number, string][] = [
    ['+33612345678', 422, 'country_not_allowed'],
    ['+493012345678', 422, 'phone_number_not_mobile'],
    ['0151 12345678', 400, 'validation_failed'],
  ]
  for (const [phoneNumber, status, code] of tries) {
    const answer = await post('/api/auth/mfa/enable', { method: 'sms', phoneNumber }, person.accessToken)
    assert.deepEqual([answer.status, answer.body.code], [status, code], phoneNumber)
  }
  // Messages are sent only to allowed numbers.
  await begin(person)
  await until('a message', () => twilio.messages.length > 0)
  assert.deepEqual(
    twilio.requests.map(({ form }) => form['To']),
    [NUMBER],
  )
})

test('MF-7: a request for a code succeeds during an outage of the SMS service', async (t) => {
  const twilio = await startTwilio(t)
  twilio.always('hang')
  const { service, begin } = await startTexting(t, {
    env: { PLATEN_SMS_URL: twilio.url, PLATEN_SMS_COUNTRIES: 'DE' },
  })
  assert.ok(await begin(await service.signUp()))
})

test('MF-7: production without an SMS service sends and changes nothing', async (t) => {
  const { service } = await startTexting(t)
  const person = await service.signUp()
  const { services } = service.services.auth
  const production = { ...services, config: { ...services.config, production: true } }
  assert.throws(() => parsePhoneNumber(production, NUMBER, '/phoneNumber'), { code: 'sms_not_configured', status: 422 })
  const client = { ip: '192.0.2.1', userAgent: '', deviceCookie: undefined }
  const sending = services.db.transaction().execute((trx) =>
    sendSmsCode(trx, production, client, {
      user: { id: person.userId },
      phoneNumber: NUMBER,
      purpose: 'step_up',
      boundTo: 'ses',
    }),
  )
  await assert.rejects(sending, { code: 'sms_not_configured' })
})

test('EN-3: only a correct first factor causes a message, and no response reveals who has a number', async (t) => {
  const { service, post, texts, enrol } = await startTexting(t)
  const known = await enrol()
  const before = (await texts()).length
  const unknown = 'nobody@example.com'
  const asked: [string, (email: string) => object][] = [
    ['/api/auth/login', (email) => ({ email, password: 'not the password' })],
    ['/api/auth/password/forgot', (email) => ({ email })],
    ['/api/auth/email/resend', (email) => ({ email })],
  ]
  for (const [path, body] of asked) {
    const [ofKnown, ofUnknown] = [await post(path, body(known.email)), await post(path, body(unknown))]
    const { requestId: _, ...first } = ofKnown.body
    const { requestId: __, ...second } = ofUnknown.body
    assert.deepEqual([ofKnown.status, first], [ofUnknown.status, second], path)
    assert.deepEqual(namesOf(ofKnown), namesOf(ofUnknown), path)
  }
  const foreign = await post('/api/auth/mfa/challenge', { mfaToken: 'A'.repeat(43), method: 'sms' })
  assert.deepEqual([foreign.status, foreign.body.code], [401, 'invalid_mfa_token'])

  // The response to the right password does not reveal the number, either.
  const right = await post('/api/auth/login', { email: known.email, password: known.password })
  assert.equal(right.body.status, 'mfa_required')
  // The token is random and may contain the same digits.
  const { mfaToken: _, ...shown } = right.body
  assert.ok(!JSON.stringify(shown).includes(NUMBER.slice(-3)))
  assert.equal((await texts()).length, before)
  assert.equal(service.logLines().includes(NUMBER.slice(1)), false)
})

function namesOf({ headers }: TestResponse): string[] {
  return [...headers.keys()].sort()
}
