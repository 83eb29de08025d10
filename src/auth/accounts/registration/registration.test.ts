import assert from 'node:assert/strict'
import { pbkdf2Sync, randomUUID } from 'node:crypto'
import test from 'node:test'
import { startService, type TestService } from '../../../../test/harness.ts'
import { until } from '../../../../test/lib/until.ts'
import { mailedToken } from '../../../../test/people.ts'
import { newId } from '../../ids.ts'
import { createPasswordHasher } from '../../passwords/hasher.ts'

const OWN = 'gravel tango lighthouse'
const FOREIGN = 'a stranger was here first'

const newEmail = (): string => `${randomUUID()}@example.com`

function post(service: TestService, path: string, body: unknown) {
  return service.request('POST', `/api/auth${path}`, { body })
}

async function login(service: TestService, email: string, password: string): Promise<number> {
  return (await post(service, '/login', { email, password })).status
}

async function subjectsTo(service: TestService, email: string): Promise<string[]> {
  const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
  return body.flatMap((mail: { to: string; subject: string }) => (mail.to === email ? [mail.subject] : []))
}

/** Confirms the newest verification token. */
async function verify(service: TestService, email: string): Promise<void> {
  const token = await mailedToken(service.request, service.origin, email)
  assert.deepEqual((await post(service, '/email/verify', { token })).body, { status: 'verified' })
}

/** The limit of mails allows one token a minute, so a registration sends another mail only after 61 s. */
const REGISTRATIONS = [0, 61].flatMap((seconds) =>
  [
    [FOREIGN, OWN],
    [OWN, FOREIGN],
    [FOREIGN, OWN, FOREIGN],
  ].map((passwords) => ({ seconds, passwords })),
)

test("OA-7, EM-2: a registrant of another owner's email cannot sign in to the verified account", async (t) => {
  const service = await startService(t)
  for (const { seconds, passwords } of REGISTRATIONS) {
    const email = newEmail()
    for (const password of passwords) {
      assert.equal((await post(service, '/register', { email, password, name: 'Mallory' })).status, 202)
      service.clock.shift(seconds)
    }
    await verify(service, email)
    assert.deepEqual([await login(service, email, FOREIGN), await login(service, email, OWN)], [401, 401])
    assert.equal((await subjectsTo(service, email))[0], 'Set your password')
    const token = await mailedToken(service.request, service.origin, email)
    assert.equal((await post(service, '/password/reset', { token, newPassword: OWN })).status, 204)
    assert.deepEqual([await login(service, email, FOREIGN), await login(service, email, OWN)], [401, 200])
    const user = await service.db.selectFrom('users').select('name').where('email', '=', email).executeTakeFirst()
    assert.equal(user?.name, null)
    // After the shift, failures that earlier rounds counted for the IP address no longer count.
    service.clock.shift(61)
  }
})

test('repeated registrations with the same password, even concurrent, keep that password', async (t) => {
  const service = await startService(t)
  const email = newEmail()
  const once = () => post(service, '/register', { email, password: OWN, name: 'Ada' })
  for (const { status } of await Promise.all([once(), once(), once()])) assert.equal(status, 202)
  service.clock.shift(61)
  await once()
  assert.equal((await subjectsTo(service, email)).length, 2)
  await verify(service, email)
  assert.equal(await login(service, email, OWN), 200)
})

test('OA-7, EM-2: a password reset before the verification decides who owns the account', async (t) => {
  const service = await startService(t)
  const email = newEmail()
  await post(service, '/register', { email, password: FOREIGN })
  await post(service, '/register', { email, password: OWN })
  await post(service, '/password/forgot', { email })
  const token = await mailedToken(service.request, service.origin, email)
  assert.equal((await post(service, '/password/reset', { token, newPassword: OWN })).status, 204)
  assert.deepEqual([await login(service, email, FOREIGN), await login(service, email, OWN)], [401, 200])
})

test('EN-1: registering again does not change a verified account', async (t) => {
  const service = await startService(t)
  const { email, password } = await service.signUp()
  for (let n = 0; n < 2; n += 1) await post(service, '/register', { email, password: FOREIGN, name: 'Mallory' })
  const user = await service.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow()
  assert.deepEqual([user.name, user.password_contested], [null, false])
  assert.deepEqual([await login(service, email, FOREIGN), await login(service, email, password)], [401, 200])
})

// Without the retry, the waiting registration would use the outdated row that it read before.
test('OA-7: a registration compares its password with a concurrent one in another process', async (t) => {
  const service = await startService(t)
  const email = newEmail()
  const { hasher } = service.services.auth.services
  const passwordHash = await hasher.hash(FOREIGN)
  const { answer } = await service.db.transaction().execute(async (trx) => {
    const at = new Date()
    const row = { id: 'usr_00000000000000000000000000', email, role: 'customer', created_at: at, updated_at: at }
    await trx
      .insertInto('users')
      .values({ ...row, password_hash: passwordHash })
      .execute()
    const answer = post(service, '/register', { email, password: FOREIGN })
    await service.untilBlocked()
    return { answer }
  })
  assert.equal((await answer).status, 202)
  await verify(service, email)
  assert.equal(await login(service, email, FOREIGN), 200)
})

test('EN-1, EN-4: each registration computes one hash, whatever the email address', async (t) => {
  const service = await startService(t)
  const { email: known } = await service.signUp()
  const email = newEmail()
  const { hasher } = service.services.auth.services
  const hash = t.mock.method(hasher, 'hashAndCompare')
  const [other, compare] = [t.mock.method(hasher, 'hash'), t.mock.method(hasher, 'verify')]
  for (const tried of [email, email, known]) await post(service, '/register', { email: tried, password: OWN })
  assert.deepEqual([hash.mock.callCount(), other.mock.callCount(), compare.mock.callCount()], [3, 0, 0])
})

const TRUSTING = { PLATEN_TRUSTED_PROXIES: 'loopback', PLATEN_RATE_LIMITS: 'off' }

const registerFrom = (service: TestService, ip: string, body: { email: string; password: string }) =>
  service.request('POST', '/api/auth/register', { body, headers: { 'x-forwarded-for': ip } })

test('a registration that waits for its hash does not delay that of the owner from another network', async (t) => {
  const service = await startService(t, { env: TRUSTING })
  const { hasher } = service.services.auth.services
  const email = newEmail()
  const hashing = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const hashAndCompare = hasher.hashAndCompare
  t.mock.method(hasher, 'hashAndCompare').mock.mockImplementation(async (own, password, client) => {
    if (password !== FOREIGN) return hashAndCompare(own, password, client)
    begun.resolve()
    await hashing.promise
    return hashAndCompare(own, password, client)
  })
  const foreign = registerFrom(service, '203.0.113.1', { email, password: FOREIGN })
  await begun.promise
  assert.equal((await registerFrom(service, '198.51.100.1', { email, password: OWN })).status, 202)
  hashing.resolve()
  assert.equal((await foreign).status, 202)
  const users = service.db.selectFrom('users').select('password_hash as hash').where('email', '=', email)
  const { hash } = await users.executeTakeFirstOrThrow()
  assert.equal((await hasher.verify(hash ?? undefined, OWN)).matches, true)
})

test('many registrations of an email address from one network delay that of its owner by one', async (t) => {
  const service = await startService(t, { env: TRUSTING })
  const email = newEmail()
  const ended: string[] = []
  const register = async (ip: string): Promise<void> => {
    assert.equal((await registerFrom(service, ip, { email, password: OWN })).status, 202)
    ended.push(ip)
  }
  const others = Array.from({ length: 40 }, (_, index) => register(`203.0.113.${index}`))
  await until('the first registration', () => ended.length > 0)
  await register('198.51.100.1')
  assert.ok(ended.length < 20, `${ended.length} had ended`)
  await Promise.all(others)
})

/** Adds an account in the way an import does. */
async function addAccount({ db, clock }: TestService, passwordHash: string, { isVerified }: { isVerified: boolean }) {
  const [email, at] = [newEmail(), clock.now()]
  const row = { id: newId('user'), email, role: 'customer', created_at: at, updated_at: at }
  await db
    .insertInto('users')
    .values({ ...row, password_hash: passwordHash, email_verified_at: isVerified ? at : null })
    .execute()
  return email
}

function importedHash(password: string): string {
  const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')
  const salt = Buffer.from('0123456789abcdef')
  return `$pbkdf2-sha256$i=1000$${base64(salt)}$${base64(pbkdf2Sync(password, salt, 1000, 32, 'sha256'))}`
}

test('EN-4: a registration verifies no hash of another cost or of a verified account', async (t) => {
  const service = await startService(t)
  const { hasher } = service.services.auth.services
  const own = await hasher.hash(OWN)
  const costly = await createPasswordHasher({ memoryKiB: 8192, passes: 3, lanes: 1 }).hash(OWN)
  const compare = t.mock.method(hasher, 'hashAndCompare')
  const accounts = [
    { passwordHash: importedHash(OWN), isVerified: true, compared: undefined },
    { passwordHash: importedHash(OWN), isVerified: false, compared: undefined },
    { passwordHash: costly, isVerified: false, compared: undefined },
    { passwordHash: own, isVerified: true, compared: undefined },
    { passwordHash: own, isVerified: false, compared: own },
  ]
  for (const { passwordHash, compared, ...account } of accounts) {
    const email = await addAccount(service, passwordHash, account)
    assert.equal((await post(service, '/register', { email, password: OWN })).status, 202)
    assert.equal(compare.mock.calls.at(-1)?.arguments[0], compared, JSON.stringify({ passwordHash, ...account }))
  }
  assert.equal(compare.mock.callCount(), accounts.length)
})

test('a registration does not take over the salt of an account that is erased meanwhile', async (t) => {
  const service = await startService(t)
  const { hasher } = service.services.auth.services
  const saltOf = (hash: string | null | undefined) => hash?.split('$')[4]
  const earlier = await hasher.hash(FOREIGN)
  const email = await addAccount(service, earlier, { isVerified: false })
  const { hashAndCompare } = hasher
  const compared = t.mock.method(hasher, 'hashAndCompare', async (...given: Parameters<typeof hashAndCompare>) => {
    const result = await hashAndCompare(...given)
    await service.db.deleteFrom('users').where('email', '=', email).execute()
    return result
  })
  assert.equal((await post(service, '/register', { email, password: OWN })).status, 202)
  const [first, second] = compared.mock.calls
  assert.deepEqual([first?.arguments[0], second?.arguments[0]], [earlier, undefined])
  assert.equal(saltOf((await first?.result)?.hash), saltOf(earlier))
  const query = service.db.selectFrom('users').select('password_hash').where('email', '=', email)
  const { password_hash: stored } = await query.executeTakeFirstOrThrow()
  assert.equal(stored, (await second?.result)?.hash)
  assert.notEqual(saltOf(stored), saltOf(earlier))
})

test('OA-7, EM-2: registering an imported unverified address drops its password', async (t) => {
  const service = await startService(t)
  for (const password of [OWN, FOREIGN]) {
    const email = await addAccount(service, importedHash(OWN), { isVerified: false })
    assert.equal((await post(service, '/register', { email, password, name: 'Mallory' })).status, 202)
    await verify(service, email)
    assert.equal((await subjectsTo(service, email))[0], 'Set your password')
    assert.deepEqual([await login(service, email, FOREIGN), await login(service, email, OWN)], [401, 401])
  }
})
