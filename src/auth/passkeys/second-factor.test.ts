import assert from 'node:assert/strict'
import test from 'node:test'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import {
  addPasskey,
  type Knobs,
  newKey,
  type SoftwarePasskey,
  signWithPasskey,
} from '../../../test/lib/software-authenticator.ts'
import type { SignedUp } from '../../../test/people.ts'

/** These tests send more wrong responses than the default limits allow. */
const PATIENT = { env: { PLATEN_LOGIN_ATTEMPTS: '100', PLATEN_LOGIN_ATTEMPTS_PER_IP: '100' } }

interface Offer {
  challengeId: string
  publicKey: { challenge: string; rpId: string }
}

async function person(service: TestService, knobs: Knobs = {}) {
  const someone = await service.signUp()
  const { passkey, answer } = await addPasskey(service, someone.accessToken, knobs)
  assert.equal(answer.status, 201, answer.text)
  return { ...someone, passkey }
}

async function beginSignIn(service: TestService, { email, password }: SignedUp): Promise<string> {
  const { body } = await service.request('POST', '/api/auth/login', { body: { email, password } })
  assert.equal(body.status, 'mfa_required')
  return body.mfaToken
}

async function challenge(service: TestService, mfaToken: string): Promise<Offer> {
  const body = { mfaToken, method: 'webauthn' }
  const answer = await service.request('POST', '/api/auth/mfa/challenge', { body })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

function verify(
  service: TestService,
  mfaToken: string,
  challengeId: string,
  credential: object,
): Promise<TestResponse> {
  const body = { mfaToken, method: 'webauthn', challengeId, credential }
  return service.request('POST', '/api/auth/mfa/verify', { body })
}

test('WA-2, WA-3, MF-3: a passkey completes only the sign-in that requested it', async (t) => {
  const service = await startService(t, PATIENT)
  const [owner, other] = [await person(service), await person(service)]
  const [mfaToken, second] = [await beginSignIn(service, owner), await beginSignIn(service, owner)]
  const tryIt = async (passkey: SoftwarePasskey, knobs: Knobs = {}): Promise<TestResponse> => {
    const { challengeId, publicKey } = await challenge(service, mfaToken)
    return verify(service, mfaToken, challengeId, signWithPasskey(passkey, publicKey, knobs))
  }
  const refused = (answer: TestResponse, what: string): void => {
    assert.equal(answer.status, 401, what)
    assert.equal(answer.body.code, 'invalid_code', what)
  }

  const offer = await challenge(service, mfaToken)
  assert.deepEqual(offer.publicKey, {
    challenge: offer.publicKey.challenge,
    rpId: 'platen.localhost',
    timeout: 300_000,
    userVerification: 'required',
    allowCredentials: [
      { type: 'public-key', id: owner.passkey.credentialId.toString('base64url'), transports: ['internal'] },
    ],
  })
  const wrong: Record<string, Knobs> = {
    'another origin': { origin: 'http://evil.test' },
    'another rpId': { rpId: 'evil.test' },
    'user not present': { isPresent: false },
    'user not verified': { isVerified: false },
    'another key': { signWith: newKey().privateKey },
    'for another user': { userHandle: other.passkey.userHandle },
  }
  for (const [what, knobs] of Object.entries(wrong)) refused(await tryIt(owner.passkey, knobs), what)
  refused(await tryIt(other.passkey), 'the passkey of another user')

  const honest = signWithPasskey(owner.passkey, offer.publicKey)
  refused(await verify(service, second, offer.challengeId, honest), 'asked for by another sign-in')
  const nameless = { body: { challengeId: offer.challengeId, credential: honest } }
  assert.equal((await service.request('POST', '/api/auth/webauthn/login/verify', nameless)).status, 401)
  for (const [path, options] of [
    ['/api/auth/webauthn/login', {}],
    ['/api/auth/step-up/challenge', { token: owner.accessToken, body: { method: 'webauthn' } }],
  ] as const) {
    const { challengeId, publicKey } = (await service.request('POST', path, options)).body
    refused(await verify(service, mfaToken, challengeId, signWithPasskey(owner.passkey, publicKey)), path)
  }

  const failed = await challenge(service, mfaToken)
  const forged = signWithPasskey(owner.passkey, failed.publicKey, { signWith: newKey().privateKey })
  refused(await verify(service, mfaToken, failed.challengeId, forged), 'forged')
  const late = signWithPasskey(owner.passkey, failed.publicKey)
  refused(await verify(service, mfaToken, failed.challengeId, late), 'used up by the attempt')

  // The account is already known from the password, so the authenticator may omit the user handle.
  const answer = await tryIt(owner.passkey, { userHandle: null })
  assert.equal(answer.status, 200, answer.text)
  const { amr } = JSON.parse(Buffer.from(answer.body.accessToken.split('.')[1], 'base64url').toString())
  assert.deepEqual(amr.toSorted(), ['mfa', 'pop', 'pwd', 'user'])
})

test('WA-4: a counter that does not grow is reported for a second factor, too', async (t) => {
  const service = await startService(t)
  const owner = await person(service, { counter: 5 })
  const mfaToken = await beginSignIn(service, owner)
  const { challengeId, publicKey } = await challenge(service, mfaToken)
  const credential = signWithPasskey(owner.passkey, publicKey, { counter: 5 })
  assert.equal((await verify(service, mfaToken, challengeId, credential)).status, 401)
  const events = await service.db
    .selectFrom('security_events')
    .select('id')
    .where('type', '=', 'passkey_counter_decreased')
    .where('user_id', '=', owner.userId)
    .execute()
  assert.equal(events.length, 1)
  const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
  assert.ok(
    body.some((mail: { to: string; subject: string }) => mail.to === owner.email && /copied/.test(mail.subject)),
  )
})

test('WA-2, SU-2: a passkey steps up only the session that requested it', async (t) => {
  const service = await startService(t, PATIENT)
  const owner = await person(service)
  const mfaToken = await beginSignIn(service, owner)
  const pending = await challenge(service, mfaToken)
  const result = await verify(service, mfaToken, pending.challengeId, signWithPasskey(owner.passkey, pending.publicKey))
  const elsewhere: string = result.body.accessToken
  service.clock.shift(601)
  const ask = async (token: string): Promise<Offer> => {
    const answer = await service.request('POST', '/api/auth/step-up/challenge', { token, body: { method: 'webauthn' } })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const stepUp = (token: string, { challengeId, publicKey }: Offer, knobs: Knobs = {}): Promise<TestResponse> => {
    const credential = signWithPasskey(owner.passkey, publicKey, knobs)
    return service.request('POST', '/api/auth/step-up', {
      token,
      body: { method: 'webauthn', challengeId, credential },
    })
  }
  const register = (token: string) => service.request('POST', '/api/auth/webauthn/register', { token })

  const offer = await ask(owner.accessToken)
  assert.equal((await stepUp(elsewhere, offer)).status, 422)
  assert.equal((await stepUp(owner.accessToken, await ask(owner.accessToken), { isVerified: false })).status, 422)
  assert.equal((await register(owner.accessToken)).status, 403)
  const answer = await stepUp(owner.accessToken, offer)
  assert.equal(answer.status, 200, answer.text)
  const { status, body: asked } = await register(answer.body.accessToken)
  assert.equal(status, 200)
  const enrolment = { challengeId: asked.challengeId, publicKey: { ...asked.publicKey, rpId: 'platen.localhost' } }
  assert.equal((await stepUp(owner.accessToken, enrolment)).status, 422, 'asked for a new passkey')
  assert.equal((await register(elsewhere)).status, 403)
  assert.equal((await stepUp(owner.accessToken, offer)).status, 422)
})
