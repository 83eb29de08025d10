import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { startService, type TestService } from '../../../test/harness.ts'
import {
  addPasskey,
  createPasskey,
  type Knobs,
  newKey,
  signInWithPasskey,
  signWithPasskey,
} from '../../../test/lib/software-authenticator.ts'
import type { SignedUp } from '../../../test/people.ts'

const REGISTER = '/api/auth/webauthn/register'
const VERIFY = '/api/auth/webauthn/register/verify'
const CREDENTIALS = '/api/auth/webauthn/credentials'

async function offerTo(service: TestService, token: string) {
  const { status, body } = await service.request('POST', REGISTER, { token })
  assert.equal(status, 200)
  return body
}

async function logIn(service: TestService, { email, password }: SignedUp) {
  return (await service.request('POST', '/api/auth/login', { body: { email, password } })).body
}

async function subjectsTo(service: TestService, email: string): Promise<string[]> {
  const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
  return body.flatMap((mail: { to: string; subject: string }) => (mail.to === email ? [mail.subject] : []))
}

async function eventsOf(service: TestService, userId: string): Promise<string[]> {
  const rows = await service.db.selectFrom('security_events').select('type').where('user_id', '=', userId).execute()
  return rows.map(({ type }) => type)
}

test('WA-1: the options for a new passkey are strict and identify no user to others', async (t) => {
  const service = await startService(t, { env: { PLATEN_PUBLIC_URL: 'http://shop.platen.localhost:8080' } })
  const [first, other] = [await service.signUp(), await service.signUp()]
  const { publicKey } = await offerTo(service, first.accessToken)
  assert.deepEqual(publicKey.authenticatorSelection, {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  })
  assert.equal(publicKey.attestation, 'none')
  assert.equal(publicKey.rp.id, 'shop.platen.localhost')
  assert.deepEqual(publicKey.excludeCredentials, [])
  assert.equal(Buffer.from(publicKey.challenge, 'base64url').length, 32)

  const handle = Buffer.from(publicKey.user.id, 'base64url')
  assert.ok(handle.length >= 16 && handle.length <= 64)
  for (const known of [first.userId, first.email]) assert.ok(!handle.includes(known))
  const again = await offerTo(service, first.accessToken)
  assert.equal(again.publicKey.user.id, publicKey.user.id)
  assert.notEqual(again.publicKey.challenge, publicKey.challenge)
  assert.notEqual((await offerTo(service, other.accessToken)).publicKey.user.id, publicKey.user.id)

  const { passkey, answer } = await addPasskey(service, first.accessToken, { transports: ['internal', 'hybrid'] })
  assert.equal(answer.status, 201)
  assert.deepEqual((await offerTo(service, first.accessToken)).publicKey.excludeCredentials, [
    { type: 'public-key', id: passkey.credentialId.toString('base64url'), transports: ['internal', 'hybrid'] },
  ])
})

test('WA-2: a challenge for a new passkey is valid once, for five minutes, in its session', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const { accessToken: elsewhere } = await logIn(service, person)
  const stranger = await service.signUp()
  const token = person.accessToken
  const failed = async (bearer: string, body: object): Promise<void> => {
    const answer = await service.request('POST', VERIFY, { token: bearer, body })
    assert.equal(answer.status, 422, answer.text)
    assert.equal(answer.body.code, 'webauthn_failed')
  }

  const { challengeId, publicKey } = await offerTo(service, token)
  const { passkey, credential } = createPasskey(service.config.origin, publicKey)
  await failed(elsewhere, { challengeId, credential })
  await failed(stranger.accessToken, { challengeId, credential })
  await failed(token, { challengeId: 'chl_01h455vb4pex5vsknk084sn02q', credential })

  const made = randomBytes(32).toString('base64url')
  const own = createPasskey(service.config.origin, { ...publicKey, challenge: made })
  const unused = await offerTo(service, token)
  await failed(token, { challengeId: unused.challengeId, credential: own.credential })
  // The failed attempt above consumed the challenge.
  const late = createPasskey(service.config.origin, unused.publicKey)
  await failed(token, { challengeId: unused.challengeId, credential: late.credential })

  const signIn = await service.request('POST', '/api/auth/webauthn/login')
  const swapped = createPasskey(service.config.origin, { ...publicKey, challenge: signIn.body.publicKey.challenge })
  await failed(token, { challengeId: signIn.body.challengeId, credential: swapped.credential })

  assert.equal((await service.request('POST', VERIFY, { token, body: { challengeId, credential } })).status, 201)
  await failed(token, { challengeId, credential })

  const reversed = await offerTo(service, token)
  const assertion = signWithPasskey(passkey, { challenge: reversed.publicKey.challenge, rpId: 'platen.localhost' })
  const body = { challengeId: reversed.challengeId, credential: assertion }
  assert.equal((await service.request('POST', '/api/auth/webauthn/login/verify', { body })).status, 401)

  const expiring = await offerTo(service, token)
  const slow = createPasskey(service.config.origin, expiring.publicKey)
  service.clock.shift(301)
  await failed(token, { challengeId: expiring.challengeId, credential: slow.credential })
})

test('WA-3: a new passkey is rejected if any member is wrong', async (t) => {
  const service = await startService(t)
  const { accessToken: token, userId } = await service.signUp()
  const wrong: Record<string, Knobs> = {
    'another origin': { origin: 'http://evil.test' },
    'a subdomain as origin': { origin: 'http://a.platen.localhost' },
    'another port': { origin: 'http://platen.localhost:81' },
    'another rpId': { rpId: 'evil.test' },
    'an assertion': { type: 'webauthn.get' },
    'another type of credential': { credentialType: 'password' },
    'user not present': { isPresent: false },
    'user not verified': { isVerified: false },
    'in a frame of another site': { crossOrigin: true },
    'an algorithm that was not offered': { algorithm: -37 },
    'an attestation with a certificate': { attestation: 'fido-u2f' },
    'an attestation that contradicts itself': { attestation: { fmt: 'none', attStmt: new Map([['alg', -7]]) } },
    'an id longer than the standard has': { credentialId: randomBytes(1024) },
  }
  for (const [what, knobs] of Object.entries(wrong)) {
    const { answer } = await addPasskey(service, token, knobs)
    assert.ok([400, 422].includes(answer.status), `${what}: ${answer.status}`)
    assert.match(answer.body.code, /^(webauthn_failed|validation_failed)$/, what)
  }
  const { challengeId, publicKey } = await offerTo(service, token)
  const { credential } = createPasskey(service.config.origin, publicKey)
  const renamed = { ...credential, id: 'AAAA', rawId: 'AAAA' }
  const answer = await service.request('POST', VERIFY, { token, body: { challengeId, credential: renamed } })
  assert.equal(answer.status, 422)
  const me = await service.db
    .selectFrom('users')
    .select('mfa_methods')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  assert.deepEqual(me.mfa_methods, [])
  // The service requests no attestation, but an authenticator may send one that it signed itself.
  assert.equal((await addPasskey(service, token, { attestation: 'packed' })).answer.status, 201)
})

test('WA-5, SE-4, LG-1, LG-3: a new passkey is a factor, ends other sessions, is recorded and mailed', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const { accessToken: elsewhere } = await logIn(service, person)
  const token = person.accessToken
  const { answer } = await addPasskey(service, token, { transports: ['usb', 'nfc'] })
  assert.equal(answer.status, 201)
  const { recoveryCodes, ...shown } = answer.body
  assert.equal(recoveryCodes.length, 10)
  assert.equal(shown.name, 'Security key')
  assert.equal(shown.lastUsedAt, null)

  assert.equal((await service.request('GET', '/me', { token: elsewhere })).status, 401)
  assert.equal((await service.request('GET', '/me', { token })).status, 200)
  const login = await logIn(service, person)
  assert.equal(login.status, 'mfa_required')
  assert.deepEqual(login.methods, ['webauthn', 'recovery_code'])
  assert.equal(login.accessToken, undefined)

  const { challengeId, publicKey } = await offerTo(service, token)
  const { credential } = createPasskey(service.config.origin, publicKey)
  const second = await service.request('POST', VERIFY, { token, body: { challengeId, credential, name: 'Blue key' } })
  assert.equal(second.body.name, 'Blue key')
  assert.equal(second.body.recoveryCodes, undefined)

  const list = await service.request('GET', CREDENTIALS, { token })
  assert.deepEqual(list.body, { data: [second.body, shown], nextCursor: null })
  assert.equal((await service.request('GET', `${CREDENTIALS}?limit=1`, { token })).body.data.length, 1)

  for (const { id } of list.body.data) {
    assert.equal((await service.request('DELETE', `${CREDENTIALS}/${id}`, { token })).status, 204)
  }
  const events = await eventsOf(service, person.userId)
  assert.equal(events.filter((type) => type === 'passkey_added').length, 2)
  assert.equal(events.filter((type) => type === 'passkey_removed').length, 2)
  const subjects = await subjectsTo(service, person.email)
  assert.equal(subjects.filter((subject) => subject === 'A passkey was added to your account').length, 2)
  assert.equal(subjects.filter((subject) => subject === 'A passkey was removed from your account').length, 2)

  // After the failed registration, the account has no recovery codes, and a sign-in requires no second factor.
  const codes = await service.db.selectFrom('recovery_codes').select('user_id').execute()
  assert.deepEqual(codes, [])
  const after = await logIn(service, person)
  assert.equal(after.status, 'authenticated')
  assert.equal((await addPasskey(service, after.accessToken)).answer.body.recoveryCodes.length, 10)
  assert.equal((await service.request('GET', '/me', { token })).status, 401)
})

test('WA-5: only its owner renames a passkey', async (t) => {
  const service = await startService(t)
  const [owner, stranger] = [await service.signUp(), await service.signUp()]
  const { answer } = await addPasskey(service, owner.accessToken)
  const path = `${CREDENTIALS}/${answer.body.id}`
  const rename = (token: string, target: string, name: string) =>
    service.request('PATCH', target, { token, body: { name } })
  for (const target of [path, `${CREDENTIALS}/cred_01h455vb4pex5vsknk084sn02q`, `${CREDENTIALS}/nonsense`]) {
    const refused = await rename(stranger.accessToken, target, 'Mine')
    assert.deepEqual([refused.status, refused.body.code], [404, 'credential_not_found'])
  }
  assert.equal((await rename(owner.accessToken, path, '')).status, 400)
  const renamed = await rename(owner.accessToken, path, 'Blue key')
  assert.deepEqual([renamed.status, renamed.body.name, renamed.body.id], [200, 'Blue key', answer.body.id])
  const { data } = (await service.request('GET', CREDENTIALS, { token: owner.accessToken })).body
  assert.deepEqual(data, [renamed.body])
})

test('SE-4: removing a passkey ends the other sessions', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { passkey, answer } = await addPasskey(service, token)
  const { accessToken: elsewhere } = (await signInWithPasskey(service, passkey)).body
  assert.equal((await service.request('GET', '/me', { token: elsewhere })).status, 200)
  assert.equal((await service.request('DELETE', `${CREDENTIALS}/${answer.body.id}`, { token })).status, 204)
  assert.equal((await service.request('GET', '/me', { token: elsewhere })).status, 401)
  assert.equal((await service.request('GET', '/me', { token })).status, 200)
  assert.equal((await signInWithPasskey(service, passkey)).status, 401)
})

test('WA-5: an account can neither read, remove nor register passkeys of another', async (t) => {
  const service = await startService(t)
  const [owner, stranger] = [await service.signUp(), await service.signUp()]
  const { passkey, answer } = await addPasskey(service, owner.accessToken)
  const path = `${CREDENTIALS}/${answer.body.id}`
  const unknown = `${CREDENTIALS}/cred_01h455vb4pex5vsknk084sn02q`
  for (const target of [path, unknown, `${CREDENTIALS}/nonsense`, `${CREDENTIALS}/${owner.userId}`]) {
    const refused = await service.request('DELETE', target, { token: stranger.accessToken })
    assert.equal(refused.status, 404)
    assert.equal(refused.body.code, 'credential_not_found')
  }
  assert.deepEqual((await service.request('GET', CREDENTIALS, { token: stranger.accessToken })).body.data, [])

  for (const { accessToken } of [stranger, owner]) {
    const copy = await addPasskey(service, accessToken, { credentialId: passkey.credentialId })
    assert.equal(copy.answer.status, 409)
    assert.equal(copy.answer.body.code, 'credential_exists')
  }
  assert.deepEqual(await eventsOf(service, stranger.userId).then((types) => types.includes('passkey_added')), false)
  assert.equal((await logIn(service, stranger)).status, 'authenticated')
  assert.equal((await signInWithPasskey(service, passkey)).status, 200)
})

test('WA-5, MF-2, SU-1: changes of passkeys need a recent authentication', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const { answer } = await addPasskey(service, person.accessToken)
  const { challengeId, publicKey } = await offerTo(service, person.accessToken)
  const { credential } = createPasskey(service.config.origin, publicKey)
  const routes = [
    ['POST', REGISTER, undefined],
    ['POST', VERIFY, { challengeId, credential }],
    ['PATCH', `${CREDENTIALS}/${answer.body.id}`, { name: 'Blue key' }],
    ['DELETE', `${CREDENTIALS}/${answer.body.id}`, undefined],
  ] as const
  const { mfaToken } = await logIn(service, person)
  for (const [method, path, body] of routes) {
    assert.equal((await service.request(method, path, { body })).status, 401)
    assert.equal((await service.request(method, path, { body, token: mfaToken })).status, 401)
  }
  service.clock.shift(601)
  for (const [method, path, body] of routes) {
    const stale = await service.request(method, path, { body, token: person.accessToken })
    assert.equal(stale.status, 403)
    assert.equal(stale.body.code, 'step_up_required')
    assert.equal(stale.body.maxAge, 600)
  }
  assert.equal((await service.request('GET', CREDENTIALS, { token: person.accessToken })).body.data.length, 1)
})

test('WA-5: the last sign-in method stays, even with two concurrent removals', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const token = person.accessToken
  const [one, two] = [await addPasskey(service, token), await addPasskey(service, token)]
  const remove = (id: string) => service.request('DELETE', `${CREDENTIALS}/${id}`, { token })
  await service.db.updateTable('users').set({ password_hash: null }).where('id', '=', person.userId).execute()

  const answers = await service.db.transaction().execute(async (trx) => {
    await trx.selectFrom('users').select('id').where('id', '=', person.userId).forNoKeyUpdate().execute()
    const both = [remove(one.answer.body.id), remove(two.answer.body.id)]
    await service.untilBlocked(2)
    return both
  })
  const [first, second] = (await Promise.all(answers)).sort((a, b) => a.status - b.status)
  assert.equal(first?.status, 204)
  assert.equal(second?.status, 409)
  assert.equal(second?.body.code, 'last_way_in')

  const [left] = (await service.request('GET', CREDENTIALS, { token })).body.data
  const identity = { provider: 'google', subject: '1', user_id: person.userId, created_at: service.clock.now() }
  await service.db.insertInto('identities').values(identity).execute()
  assert.equal((await remove(left.id)).status, 204)
})

test('SE-4: a session that ends while it adds or removes a passkey does neither', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const { answer } = await addPasskey(service, person.accessToken)
  const { challengeId, publicKey } = await offerTo(service, person.accessToken)
  const { credential } = createPasskey(service.config.origin, publicKey)
  const token = person.accessToken
  // The transaction does what a new password does: it locks the account and ends its sessions.
  const answers = await service.db.transaction().execute(async (trx) => {
    await trx.selectFrom('users').select('id').where('id', '=', person.userId).forNoKeyUpdate().execute()
    const ended = { ended_at: service.clock.now(), end_reason: 'credential_changed' }
    await trx.updateTable('sessions').set(ended).where('user_id', '=', person.userId).execute()
    const both = [
      service.request('POST', VERIFY, { token, body: { challengeId, credential } }),
      service.request('DELETE', `${CREDENTIALS}/${answer.body.id}`, { token }),
    ]
    await service.untilBlocked(2)
    return both
  })
  for (const { status } of await Promise.all(answers)) assert.equal(status, 401)
  const passkeys = await service.db.selectFrom('passkeys').select('id').execute()
  assert.deepEqual(passkeys, [{ id: answer.body.id }])
})

test('an account has at most twenty passkeys, even if two are added at once', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const token = person.accessToken
  const offers = [await offerTo(service, token), await offerTo(service, token)]
  const key = newKey().publicKey.export({ format: 'der', type: 'spki' })
  for (let n = 10; n < 29; n += 1) {
    const row = { user_id: person.userId, credential_id: randomBytes(16), public_key: key, counter: 0, transports: [] }
    const rest = { device_type: 'singleDevice', backed_up: false, name: 'x', created_at: service.clock.now() }
    await service.db
      .insertInto('passkeys')
      .values({ id: `cred_01h455vb4pex5vsknk084sn0${n}`, ...row, ...rest })
      .execute()
  }
  const answers = await service.db.transaction().execute(async (trx) => {
    await trx.selectFrom('users').select('id').where('id', '=', person.userId).forNoKeyUpdate().execute()
    const both = offers.map(({ challengeId, publicKey }) => {
      const { credential } = createPasskey(service.config.origin, publicKey)
      return service.request('POST', VERIFY, { token, body: { challengeId, credential } })
    })
    await service.untilBlocked(2)
    return both
  })
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [201, 409])
  const full = await service.request('POST', REGISTER, { token })
  assert.equal(full.status, 409)
  assert.equal(full.body.code, 'passkey_limit_reached')
})
