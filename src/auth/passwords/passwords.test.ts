import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import process from 'node:process'
import test from 'node:test'
import { Worker } from 'node:worker_threads'
import { startService, type TestService } from '../../../test/harness.ts'
import { processorMs } from '../../../test/lib/processor-time.ts'
import { mailedToken } from '../../../test/people.ts'
import { readConfig } from '../../config/index.ts'
import { ClientGone } from '../../platform/concurrency/client-gone.ts'
import { createRequestContext, runInRequest } from '../../platform/concurrency/request-context.ts'
import { newId } from '../ids.ts'
import { isCommonPassword } from './common-passwords.ts'
import { createPasswordHasher } from './hasher.ts'

function register(service: TestService, body: { email?: string; password: string; name?: string }) {
  return service.request('POST', '/api/auth/register', { body: { email: `${randomUUID()}@example.com`, ...body } })
}

test('PW-1: a password needs twelve characters, and no rules of composition apply', async (t) => {
  const service = await startService(t)
  const short = await register(service, { password: 'quietharbou' })
  assert.equal(short.status, 422)
  assert.equal(short.body.code, 'password_rejected')
  assert.deepEqual(short.body.errors[0].code, 'too_short')
  assert.equal(short.body.errors[0].pointer, '/password')
  assert.equal((await register(service, { password: 'quietharbour' })).status, 202)
  assert.equal((await register(service, { password: `quiet ${'é'.repeat(250)}` })).status, 202)
  assert.equal((await register(service, { password: `quiet ${'é'.repeat(251)}` })).body.errors[0].code, 'too_long')
  // The length counts characters, not bytes or UTF-16 units.
  assert.equal((await register(service, { password: '🔥🦄🍕🚀🎲🧀' })).body.errors[0].code, 'too_short')
})

test('PW-1: the minimum length is a setting, shown in errors and on the reset page', async (t) => {
  const page = async (service: TestService): Promise<string> =>
    (await service.request('GET', `${service.origin}/reset-password?token=x`)).text
  const lax = await startService(t, { env: { PLATEN_PASSWORD_MIN_LENGTH: '8' } })
  const short = await register(lax, { password: 'kwvtzqj' })
  assert.deepEqual([short.status, short.body.errors[0].code], [422, 'too_short'])
  assert.match(short.body.detail, /at least 8 characters/)
  assert.equal((await register(lax, { password: 'kwvtzqjx' })).status, 202)
  assert.match(await page(lax), /&quot;passwordMinLength&quot;:8[,}]/)
  const strict = await startService(t, { env: { PLATEN_PASSWORD_MIN_LENGTH: '20' } })
  assert.equal((await register(strict, { password: 'quiet harbour lights' })).status, 202)
  assert.equal((await register(strict, { password: 'quiet harbour light' })).body.errors[0].code, 'too_short')
  assert.throws(() => readConfig({ PLATEN_PASSWORD_MIN_LENGTH: '7' }), /PLATEN_PASSWORD_MIN_LENGTH .* from 8 to 128/)
})

test('PW-2: a password is used whole and unchanged', async (t) => {
  const service = await startService(t)
  const password = ` Zürich 🦄 ${'lighthouse '.repeat(10)}`
  const { email } = await service.signUp({ password })
  const login = async (given: string): Promise<number> =>
    (await service.request('POST', '/api/auth/login', { body: { email, password: given } })).status
  assert.equal(await login(password), 200)
  const firstBytes = Buffer.from(password).subarray(0, 72).toString()
  for (const other of [firstBytes, password.trim(), password.toLowerCase(), password.normalize('NFD')]) {
    assert.equal(await login(other), 401)
  }
  assert.equal(await login(password), 200)
  const usage = process.cpuUsage()
  assert.ok([413, 422].includes((await register(service, { password: 'x'.repeat(1024 * 1024) })).status))
  assert.ok([413, 422].includes((await register(service, { password: 'x'.repeat(1_000_000) })).status))
  assert.ok(processorMs(process.cpuUsage(usage)) < 1000)
})

test("PW-3: common passwords, and those that repeat the owner's data, are rejected", async (t) => {
  const service = await startService(t)
  const email = 'ada.quillfeather@example.com'
  const refused: [string, string][] = [
    ['123456789012', 'common'],
    ['passwordpassword', 'common'],
    ['Password1234', 'common'],
    ['qwertyuiop123!', 'common'],
    ['aaaaaaaaaaaaaaa', 'common'],
    ['ada.quillfeather', 'self_related'],
    ['ada.quillfeather@example.com', 'self_related'],
    ['Quillfeather-26', 'self_related'],
    ['platen-platen-1', 'self_related'],
    ['PlatenPassword', 'self_related'],
    ['Quillenberg1815', 'self_related'],
  ]
  for (const [password, code] of refused) {
    const answer = await register(service, { email, password, name: 'Augusta Quillenberg' })
    assert.equal(answer.status, 422, password)
    assert.equal(answer.body.errors[0].code, code, password)
  }
  for (const password of ['correct horse battery staple', 'the platen of an old press', '🔥🦄🍕🚀🎲🧀🐙🌵🎻🛶🧊🪁']) {
    assert.equal((await register(service, { email, password })).status, 202, password)
  }
})

test('checking a password takes little time for any content', async () => {
  await isCommonPassword('loads the list')
  const usage = process.cpuUsage()
  for (const separator of '-_. a') {
    assert.equal(await isCommonPassword(`${separator.repeat(44)}x quiet harbour`), false)
  }
  assert.ok(processorMs(process.cpuUsage(usage)) < 500)
  for (const password of ['abc-abc-abc-abc', 'dragon dragon dragon', 'x-y.x-y.x-y.x-y']) {
    assert.equal(await isCommonPassword(password), true, password)
  }
})

test('a stored hash is Argon2id at the documented cost with a random salt', async () => {
  const hasher = createPasswordHasher()
  const [first, second] = await Promise.all([hasher.hash('quiet harbour'), hasher.hash('quiet harbour')])
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.notEqual(first, second)
  assert.deepEqual(await hasher.verify(first, 'quiet harbour'), { matches: true, isOutdated: false })
  assert.deepEqual(await hasher.verify(first, 'quiet harbor'), { matches: false, isOutdated: false })
  assert.deepEqual(await hasher.verify(undefined, 'quiet harbour'), { matches: false, isOutdated: false })
})

test('a sign-in replaces a hash of an earlier cost', async (t) => {
  const service = await startService(t, { hashesAtRealCost: true })
  const { email, password, userId } = await service.signUp()
  const cheap = await createPasswordHasher({ memoryKiB: 8192, passes: 1, lanes: 1 }).hash(password)
  await service.db.updateTable('users').set({ password_hash: cheap }).where('id', '=', userId).execute()
  for (let n = 0; n < 2; n += 1) {
    assert.equal((await service.request('POST', '/api/auth/login', { body: { email, password } })).status, 200)
  }
  const [user] = await service.db.selectFrom('users').select('password_hash').where('id', '=', userId).execute()
  assert.match(user?.password_hash ?? '', /m=19456,t=2,p=1/)
})

test('a change with a wrong password hashes no new one', async (t) => {
  const service = await startService(t)
  const { accessToken: token, password } = await service.signUp()
  const hash = t.mock.method(service.services.auth.services.hasher, 'hash')
  const change = (currentPassword: string) =>
    service.request('POST', '/api/auth/password/change', {
      token,
      body: { currentPassword, newPassword: 'another quiet harbour' },
    })
  assert.equal((await change(`${password}!`)).body.code, 'current_password_wrong')
  assert.equal(hash.mock.callCount(), 0)
  assert.equal((await change(password)).status, 204)
  assert.equal(hash.mock.callCount(), 1)
})

test('the twenty-first change of a password within a minute is refused without hashing one', async (t) => {
  const service = await startService(t)
  const { accessToken: token, password } = await service.signUp()
  const body = { currentPassword: password, newPassword: password }
  const change = () => service.request('POST', '/api/auth/password/change', { token, body })
  for (let count = 0; count < 20; count += 1) assert.equal((await change()).status, 204)
  const { hasher } = service.services.auth.services
  const [hash, verify] = [t.mock.method(hasher, 'hash'), t.mock.method(hasher, 'verify')]
  const refused = await change()
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
  assert.deepEqual([hash.mock.callCount(), verify.mock.callCount()], [0, 0])
})

test('when too many passwords wait, those of known devices and of sessions still find a place', async () => {
  const hasher = createPasswordHasher({ memoryKiB: 64, passes: 1, lanes: 1 })
  const clients = Array.from({ length: 210 }, (_, index) => ({ ip: `203.0.${index}.1` }))
  const waiting = Promise.allSettled(clients.map((client) => hasher.hash('quiet harbour', client)))
  const ip = '198.51.100.1'
  await assert.rejects(hasher.hash('quiet harbour', { ip }), { code: 'sign_in_busy' })
  const accounts = ['ada@example.com', newId('user')]
  await Promise.all(accounts.map((account) => hasher.hash('quiet harbour', { ip, account })))
  await waiting
})

test('when too many passwords of sessions of one network wait, others still find a place, and wait for few', async () => {
  const hasher = createPasswordHasher({ memoryKiB: 64, passes: 1, lanes: 1 })
  let ended = 0
  const accounts = Array.from({ length: 400 }, () => newId('user'))
  const waiting = Promise.allSettled(
    accounts.map((account) => hasher.hash('quiet harbour', { ip: '203.0.113.1', account }).then(() => (ended += 1))),
  )
  const ip = '198.51.100.1'
  await hasher.hash('quiet harbour', { ip, account: newId('user') })
  assert.ok(ended < 10, `${ended} ended before that of a session`)
  await hasher.hash('quiet harbour', { ip })
  assert.ok(ended < 20, `${ended} ended before that of a new client`)
  await waiting
})

test('a password whose client has left meanwhile is not hashed', async () => {
  const hasher = createPasswordHasher({ memoryKiB: 64, passes: 1, lanes: 1 })
  const request = { ...createRequestContext(), hasLeft: () => true }
  const compared = runInRequest(request, () => hasher.verify(undefined, 'quiet harbour', { ip: '203.0.113.1' }))
  await assert.rejects(compared, ClientGone)
})

test('when too many passwords of one network wait, those of another still find a place', async () => {
  const hasher = createPasswordHasher({ memoryKiB: 64, passes: 1, lanes: 1 })
  const clients = Array.from({ length: 210 }, (_, index) => ({ ip: `203.0.113.${index}` }))
  const waiting = Promise.allSettled(clients.map((client) => hasher.hash('quiet harbour', client)))
  await hasher.hash('quiet harbour', { ip: '198.51.100.1' })
  const refused = (await waiting).filter(({ status }) => status === 'rejected')
  assert.ok(refused.length > 0, 'otherwise there was room without one of them')
})

test('when too many passwords wait, further ones get Retry-After, and waiting ones succeed', async () => {
  const hasher = createPasswordHasher({ memoryKiB: 64, passes: 1, lanes: 1 })
  const results = await Promise.allSettled(Array.from({ length: 300 }, () => hasher.hash('quiet harbour')))
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  assert.ok(refused.length >= 90 && refused.length < 100, String(refused.length))
  assert.equal(refused[0].code, 'sign_in_busy')
  assert.equal(refused[0].status, 503)
  assert.equal(refused[0].extras.headers['Retry-After'], '2')
})

test('a sign-in whose hashing threads end is 503 with Retry-After, and counts as no failed attempt', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS: '1' } })
  const { email, password } = await service.signUp()
  const signIn = () => service.request('POST', '/api/auth/login', { body: { email, password } })
  const ending = t.mock.method(Worker.prototype, 'postMessage', function (this: Worker) {
    this.terminate()
  })
  for (let n = 0; n < 2; n += 1) {
    const { status, body, headers } = await signIn()
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'sign_in_busy', '2'])
  }
  ending.mock.restore()
  assert.equal((await signIn()).status, 200)
})

test('while no hashing thread can start, the service is not ready and names the reason, and recovers', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS: '1' } })
  const { email, password } = await service.signUp()
  const signIn = () => service.request('POST', '/api/auth/login', { body: { email, password } })
  const ready = () => service.request('GET', `${service.origin}/health/ready`)
  assert.equal((await ready()).status, 200)
  const { postMessage } = Worker.prototype
  const failing = t.mock.method(Worker.prototype, 'postMessage', function (this: Worker) {
    this.emit('error', Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' }))
    this.terminate()
  })
  const refused = await signIn()
  assert.deepEqual([refused.status, refused.body.code], [503, 'service_unavailable'])
  const unready = await ready()
  assert.deepEqual([unready.status, unready.body.parts], [503, ['password hashing']])
  failing.mock.mockImplementation(postMessage)
  assert.equal((await ready()).status, 200)
  assert.equal((await signIn()).status, 200)
})

test('many waiting passwords of one account delay another account by one place', async () => {
  const hasher = createPasswordHasher({ memoryKiB: 1024, passes: 1, lanes: 1 })
  const ended: string[] = []
  const hash = (account: string) =>
    hasher.hash('quiet harbour', { ip: '203.0.113.1', account }).then(() => ended.push(account))
  const all = Array.from({ length: 60 }, () => hash('mallory'))
  await Promise.all([...all, hash('victor')])
  // Three hashes are already running and one is next. On a busy computer, others may end while this one is computed.
  assert.ok(ended.indexOf('victor') <= 20, String(ended.indexOf('victor')))
})

test('EM-1, EM-4: a reset link works once, opens no session and keeps the second factor', async (t) => {
  const service = await startService(t)
  const { email, userId } = await service.signUp()
  await service.db
    .updateTable('users')
    .set({ mfa_methods: ['totp'] })
    .where('id', '=', userId)
    .execute()
  await service.request('POST', '/api/auth/password/forgot', { body: { email } })
  const token = await mailedToken(service.request, service.origin, email)
  const newPassword = 'gravel tango lighthouse'
  const reset = () => service.request('POST', '/api/auth/password/reset', { body: { token, newPassword } })
  const answers = await Promise.all(Array.from({ length: 20 }, reset))
  const [done, ...others] = answers.sort((a, b) => a.status - b.status)
  assert.deepEqual([done?.status, done?.text], [204, ''])
  assert.match(done?.headers.get('set-cookie') ?? '', /^platen_device=[^,]+$/)
  for (const { body } of others) assert.equal(body.code, 'invalid_token')
  const login = await service.request('POST', '/api/auth/login', { body: { email, password: newPassword } })
  assert.deepEqual([login.status, login.body.status, login.body.accessToken], [200, 'mfa_required', undefined])
})
