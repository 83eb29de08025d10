import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import {
  addPasskey,
  type Knobs,
  newKey,
  type SoftwarePasskey,
  signInWithPasskey,
  signWithPasskey,
} from '../../../test/lib/software-authenticator.ts'
import { allJobs } from '../../worker.ts'

const LOGIN = '/api/auth/webauthn/login'
const VERIFY = '/api/auth/webauthn/login/verify'

async function offer(service: TestService) {
  const { status, body } = await service.request('POST', LOGIN)
  assert.equal(status, 200)
  return body
}

function refused(answer: TestResponse, what = ''): void {
  assert.equal(answer.status, 401, `${what}: ${answer.text}`)
  assert.equal(answer.body.code, 'invalid_credentials', what)
  assert.equal(answer.body.accessToken, undefined)
}

function claimsOf(accessToken: string): { amr: string[]; sub: string } {
  return JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
}

async function person(service: TestService, knobs: Knobs = {}) {
  const someone = await service.signUp()
  const { passkey, answer } = await addPasskey(service, someone.accessToken, knobs)
  assert.equal(answer.status, 201, answer.text)
  return { ...someone, passkey, id: answer.body.id as string }
}

test('EN-3, WA-1: the options for a sign-in do not depend on the account', async (t) => {
  const service = await startService(t)
  const { accessToken } = await person(service)
  const strip = ({ status, headers, body }: TestResponse) => ({
    status,
    headers: [...headers.keys()].sort(),
    body: { ...body, challengeId: '', publicKey: { ...body.publicKey, challenge: '' } },
  })
  const nobody = await service.request('POST', LOGIN)
  const challenge = Buffer.from(nobody.body.publicKey.challenge, 'base64url')
  assert.equal(challenge.length, 32)
  assert.equal(nobody.headers.get('cache-control'), 'no-store')
  assert.deepEqual(nobody.body.publicKey, {
    challenge: nobody.body.publicKey.challenge,
    rpId: 'platen.localhost',
    timeout: 300_000,
    userVerification: 'required',
    allowCredentials: [],
  })
  assert.deepEqual(strip(await service.request('POST', LOGIN, { token: accessToken })), strip(nobody))
  assert.deepEqual(strip(await service.request('POST', LOGIN, { body: {} })), strip(nobody))
  const named = await service.request('POST', LOGIN, { body: { email: 'ada@example.com' } })
  assert.equal(named.status, 400)
})

test('WA-5, MF-3: a passkey counts as two factors, as the token states', async (t) => {
  const service = await startService(t)
  const { passkey, userId, accessToken, id } = await person(service)
  const answer = await signInWithPasskey(service, passkey)
  assert.equal(answer.status, 200)
  assert.equal(answer.body.status, 'authenticated')
  assert.match(answer.headers.get('set-cookie') ?? '', /HttpOnly/)
  const claims = claimsOf(answer.body.accessToken)
  assert.equal(claims.sub, userId)
  assert.deepEqual(claims.amr, ['pop', 'user', 'mfa'])
  const list = await service.request('GET', '/api/auth/webauthn/credentials', { token: accessToken })
  assert.equal(list.body.data[0].id, id)
  assert.notEqual(list.body.data[0].lastUsedAt, null)
  const events = await service.db.selectFrom('security_events').selectAll().where('user_id', '=', userId).execute()
  assert.ok(events.some(({ type, details }) => type === 'passkey_used' && JSON.stringify(details).includes(id)))
  assert.ok(events.some(({ type, method }) => type === 'sign_in' && method === 'passkey'))
})

test('WA-2: a challenge for a sign-in is valid once and for five minutes', async (t) => {
  const service = await startService(t)
  const { passkey } = await person(service)
  const { challengeId, publicKey } = await offer(service)
  const other = await offer(service)
  const verify = (body: object) => service.request('POST', VERIFY, { body })

  const challenge = randomBytes(32).toString('base64url')
  refused(
    await verify({ challengeId: 'chl_01h455vb4pex5vsknk084sn02q', credential: signWithPasskey(passkey, publicKey) }),
  )
  refused(await verify({ challengeId, credential: signWithPasskey(passkey, { ...publicKey, challenge }) }), 'its own')
  refused(await verify({ challengeId, credential: signWithPasskey(passkey, publicKey) }), 'used up by the attempt')
  refused(await verify({ challengeId, credential: signWithPasskey(passkey, other.publicKey) }), 'of another challenge')

  const body = { challengeId: other.challengeId, credential: signWithPasskey(passkey, other.publicKey) }
  assert.equal((await verify(body)).status, 200)
  refused(await verify(body), 'replayed')

  const late = await offer(service)
  service.clock.shift(301)
  const credential = signWithPasskey(passkey, late.publicKey)
  refused(await verify({ challengeId: late.challengeId, credential }), 'expired')
  assert.equal((await signInWithPasskey(service, passkey)).status, 200)
})

test('WA-2: of two concurrent requests with the same assertion, one succeeds', async (t) => {
  const service = await startService(t)
  // A counter that stays at zero cannot show that the assertion was repeated.
  const { passkey } = await person(service, { counter: 0 })
  const { challengeId, publicKey } = await offer(service)
  const body = { challengeId, credential: signWithPasskey(passkey, publicKey) }
  const answers = await service.db.transaction().execute(async (trx) => {
    await trx.selectFrom('auth_challenges').select('id').where('id', '=', challengeId).forUpdate().execute()
    const both = [service.request('POST', VERIFY, { body }), service.request('POST', VERIFY, { body })]
    await service.untilBlocked(2)
    return both
  })
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [200, 401])
})

test('WA-3, MF-3: a sign-in is rejected if any part of the assertion is wrong', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '100' } })
  const [owner, other] = [await person(service), await person(service)]
  const wrong: Record<string, Knobs> = {
    'another origin': { origin: 'http://evil.test' },
    'https where the service is http': { origin: 'https://platen.localhost' },
    'another rpId': { rpId: 'evil.test' },
    'a registration': { type: 'webauthn.create' },
    'another type of credential': { credentialType: 'password' },
    'user not present': { isPresent: false },
    'user not verified': { isVerified: false },
    'in a frame of another site': { crossOrigin: true },
    'signed by another key': { signWith: newKey().privateKey },
    'signed by the key of another user': { signWith: other.passkey.privateKey },
    'the passkey of another user': { credentialId: other.passkey.credentialId },
    'for another user': { userHandle: other.passkey.userHandle },
    'for an unknown user': { userHandle: 'AAAA' },
    'for nobody': { userHandle: null },
    'an unknown passkey': { credentialId: randomBytes(32) },
  }
  const answers: TestResponse[] = []
  for (const [what, knobs] of Object.entries(wrong)) {
    const answer = await signInWithPasskey(service, owner.passkey, knobs)
    refused(answer, what)
    answers.push(answer)
  }
  const visible = ({ headers, body }: TestResponse) => ({ headers: [...headers.keys()].sort(), ...body, requestId: '' })
  for (const answer of answers) assert.deepEqual(visible(answer), visible(answers[0] ?? answer))
  const { rows } = await signedInSessions(service, owner.userId)
  assert.equal(rows, 1)
  assert.equal((await signInWithPasskey(service, owner.passkey)).status, 200)
})

async function signedInSessions(service: TestService, userId: string): Promise<{ rows: number }> {
  const rows = await service.db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()
  return { rows: rows.length }
}

test('WA-4: a counter that stays at zero is valid; one that does not grow is rejected and reported', async (t) => {
  const service = await startService(t)
  const synchronised = await person(service, { counter: 0 })
  for (let n = 0; n < 2; n += 1) assert.equal((await signInWithPasskey(service, synchronised.passkey)).status, 200)

  const { passkey, email, userId, id } = await person(service, { counter: 5 })
  assert.equal((await signInWithPasskey(service, passkey, { counter: 9 })).status, 200)
  const told = async (): Promise<number> => {
    const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
    return body.filter((mail: { to: string; subject: string }) => mail.to === email && mail.subject.includes('copied'))
      .length
  }
  // An assertion with a wrong signature shows nothing about the passkey, so the owner must get no mail about it.
  refused(await signInWithPasskey(service, passkey, { counter: 3, signWith: newKey().privateKey }))
  assert.equal(await told(), 0)
  for (const counter of [9, 8, 0]) refused(await signInWithPasskey(service, passkey, { counter }), `${counter}`)
  assert.equal(await told(), 3)
  const events = await service.db.selectFrom('security_events').selectAll().where('user_id', '=', userId).execute()
  const decreased = events.filter(({ type }) => type === 'passkey_counter_decreased')
  assert.deepEqual(
    decreased.map(({ result, details }) => [result, details]),
    [1, 2, 3].map(() => ['failure', { passkey: id }]),
  )
  assert.equal((await signInWithPasskey(service, passkey, { counter: 2 ** 32 - 1 })).status, 200)
})

test('WA-4: of two concurrent sign-ins with the same counter, one succeeds', async (t) => {
  const service = await startService(t)
  const { passkey, userId } = await person(service, { counter: 5 })
  const bodies = [await offer(service), await offer(service)].map(({ challengeId, publicKey }) => ({
    challengeId,
    credential: signWithPasskey(passkey, publicKey, { counter: 6 }),
  }))
  const answers = await service.db.transaction().execute(async (trx) => {
    await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
    const both = bodies.map((body) => service.request('POST', VERIFY, { body }))
    await service.untilBlocked(2)
    return both
  })
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [200, 401])
})

test('EN-2, WA-5: a passkey of a disabled account does not sign in, even if it is disabled meanwhile', async (t) => {
  const service = await startService(t)
  const admin = await service.signUp({ role: 'admin' })
  const { passkey, userId } = await person(service)
  const { challengeId, publicKey } = await offer(service)
  const body = { challengeId, credential: signWithPasskey(passkey, publicKey) }
  const disabled_at = service.clock.now()
  const answer = await service.db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ disabled_at }).where('id', '=', userId).execute()
    const waiting = service.request('POST', VERIFY, { body })
    await service.untilBlocked()
    return { waiting }
  })
  refused(await answer.waiting)
  refused(await signInWithPasskey(service, passkey))
  // These sign-ins count as failures, like those with a wrong password.
  const events = await service.db.selectFrom('security_events').selectAll().where('user_id', '=', userId).execute()
  assert.equal(events.filter(({ type }) => type === 'sign_in_failed').length, 2)
  assert.ok(!events.some(({ type }) => type === 'passkey_used'))
  const change = { token: admin.accessToken, body: { disabled: false } }
  assert.equal((await service.request('PATCH', `/users/${userId}`, change)).status, 200)
  assert.equal((await signInWithPasskey(service, passkey)).status, 200)
})

test('BF-8: wrong assertions count against their IP address', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '3' } })
  const { passkey } = await person(service)
  const stranger: SoftwarePasskey = { ...passkey, credentialId: randomBytes(32) }
  for (let n = 0; n < 3; n += 1) refused(await signInWithPasskey(service, stranger))
  const blocked = await signInWithPasskey(service, passkey)
  assert.equal(blocked.status, 429)
  assert.equal(blocked.body.code, 'login_blocked')
  service.clock.shift(900)
  assert.equal((await signInWithPasskey(service, passkey)).status, 200)
  const events = await service.db
    .selectFrom('security_events')
    .selectAll()
    .where('type', '=', 'sign_in_failed')
    .execute()
  assert.equal(events.length, 3)
  assert.ok(events.every(({ method }) => method === 'passkey'))
})

test('WA-2: expired challenges are deleted', async (t) => {
  const service = await startService(t)
  await offer(service)
  service.clock.shift(200)
  const kept = await offer(service)
  service.clock.shift(101)
  const prune = allJobs(service.services).find(({ name }) => name === 'auth.prune')
  await prune?.handle({})
  const left = await service.db.selectFrom('auth_challenges').select('id').execute()
  assert.deepEqual(left, [{ id: kept.challengeId }])
})
