import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type OutgoingHttpHeaders, request } from 'node:http'
import test from 'node:test'
import { sql } from 'kysely'
import { startService, type TestService } from '../../../test/harness.ts'
import { mailedToken } from '../../../test/people.ts'
import { lockUserByEmail } from '../users/store.ts'
import { ensureAdministrator } from './administrator.ts'

const PASSWORD = 'gravel tango lighthouse'

const newEmail = (): string => `${randomUUID()}@example.com`

function post(service: TestService, path: string, body: unknown, headers: Record<string, string> = {}) {
  return service.request('POST', `/api/auth${path}`, { body, headers })
}

/** Sends a body with a `Host` header of one's own, which `fetch` does not allow. Returns the status. */
function postWithHost(url: string, body: object, headers: OutgoingHttpHeaders): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers }
    const sent = request(url, { method: 'POST', headers: all }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject).end(JSON.stringify(body))
  })
}

async function mailsTo(service: TestService, email: string): Promise<{ subject: string; text: string }[]> {
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  return outbox.body.filter((mail: { to: string }) => mail.to === email)
}

/**
 * Returns the parts of a response that a client sees, without the id of the request, which differs in every response.
 */
function visible(answer: { status: number; headers: Headers; text: string }) {
  const names = [...answer.headers.keys()].sort()
  return { status: answer.status, names, text: answer.text.replace(/"requestId":"[^"]*"/, '') }
}

test('EN-1: registration responds alike for known and unknown emails; a mail tells the owner', async (t) => {
  const service = await startService(t)
  const known = await service.signUp()
  const unknown = newEmail()
  const answers = []
  for (const email of [known.email, unknown])
    answers.push(await post(service, '/register', { email, password: PASSWORD }))
  const [first, second] = answers.map(visible)
  assert.deepEqual(first, second)
  assert.equal(first?.status, 202)
  assert.equal((await mailsTo(service, known.email))[0]?.subject, 'You already have an account')
  assert.equal((await mailsTo(service, unknown))[0]?.subject, 'Confirm your email address')
  assert.equal((await post(service, '/login', { email: known.email, password: PASSWORD })).status, 401)
})

test('EN-2: a failed sign-in does not reveal its reason', async (t) => {
  const service = await startService(t)
  const known = await service.signUp()
  const disabled = await service.signUp()
  const withoutPassword = await service.signUp()
  const unverified = newEmail()
  await sql`update users set disabled_at = now() where id = ${disabled.userId}`.execute(service.db)
  await sql`update users set password_hash = null where id = ${withoutPassword.userId}`.execute(service.db)
  await post(service, '/register', { email: unverified, password: PASSWORD })
  const attempts = [
    { email: newEmail(), password: PASSWORD },
    { email: known.email, password: PASSWORD },
    { email: disabled.email, password: disabled.password },
    { email: withoutPassword.email, password: withoutPassword.password },
    { email: unverified, password: 'another password entirely' },
  ]
  const answers = []
  for (const attempt of attempts) answers.push(visible(await post(service, '/login', attempt)))
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  assert.equal(answers[0]?.status, 401)
  assert.match(answers[0]?.text ?? '', /"code":"invalid_credentials"/)
})

test('EN-2: only the right password reveals that the email is unverified, and sends its mail again', async (t) => {
  const service = await startService(t)
  const email = newEmail()
  await post(service, '/register', { email, password: PASSWORD })
  service.clock.shift(61)
  const refused = await post(service, '/login', { email, password: PASSWORD })
  assert.equal(refused.status, 403)
  assert.equal(refused.body.code, 'email_not_verified')
  assert.equal((await mailsTo(service, email)).length, 2)
})

test('EN-3: requests for mails respond alike without an account, and then send none', async (t) => {
  const service = await startService(t)
  const known = await service.signUp()
  const unknown = newEmail()
  for (const path of ['/password/forgot', '/email/resend']) {
    const [first, second] = await Promise.all([known.email, unknown].map((email) => post(service, path, { email })))
    assert.ok(first !== undefined && second !== undefined)
    assert.deepEqual(visible(first), visible(second))
    assert.equal(first.status, 202)
  }
  assert.deepEqual(await mailsTo(service, unknown), [])
})

test('requests for mails of a stranger do not use up those of a person who registers afterwards', async (t) => {
  const service = await startService(t)
  const email = newEmail()
  for (let n = 0; n < 6; n += 1) {
    for (const path of ['/email/resend', '/password/forgot']) await post(service, path, { email })
    service.clock.shift(61)
  }
  await post(service, '/register', { email, password: PASSWORD })
  assert.equal((await mailsTo(service, email)).length, 1)
  await post(service, '/password/forgot', { email })
  assert.equal((await mailsTo(service, email)).length, 2)
})

test('EM-1: a mailed token works once, until it expires or a newer one replaces it', async (t) => {
  const service = await startService(t)
  const email = newEmail()
  await post(service, '/register', { email, password: PASSWORD })
  const older = await mailedToken(service.request, service.origin, email)
  service.clock.shift(61)
  await post(service, '/email/resend', { email })
  const newer = await mailedToken(service.request, service.origin, email)
  assert.equal((await post(service, '/email/verify', { token: older })).status, 400)
  const both = await Promise.all(Array.from({ length: 20 }, () => post(service, '/email/verify', { token: newer })))
  assert.equal(both.filter((answer) => answer.status === 200).length, 1)
  assert.equal((await post(service, '/email/verify', { token: newer })).body.code, 'invalid_token')

  await post(service, '/password/forgot', { email })
  const late = await mailedToken(service.request, service.origin, email)
  service.clock.shift(3601)
  assert.equal((await post(service, '/password/reset', { token: late, newPassword: PASSWORD })).status, 400)
})

test('EM-1: a verification link expires after a day', async (t) => {
  const service = await startService(t)
  const email = newEmail()
  await post(service, '/register', { email, password: PASSWORD })
  const token = await mailedToken(service.request, service.origin, email)
  service.clock.shift(24 * 3600 + 1)
  assert.equal((await post(service, '/email/verify', { token })).body.code, 'invalid_token')
})

test('a verification waits for a concurrent change of its account without a deadlock', async (t) => {
  const service = await startService(t)
  const email = newEmail()
  await post(service, '/register', { email, password: PASSWORD })
  const token = await mailedToken(service.request, service.origin, email)
  // The transaction locks like a repeated registration: first the account, then its token.
  const { verified } = await service.db.transaction().execute(async (trx) => {
    const user = await lockUserByEmail(trx, email)
    const verified = post(service, '/email/verify', { token })
    await service.untilBlocked()
    await trx
      .updateTable('email_tokens')
      .set({ token_hash: 'of a newer link' })
      .where('user_id', '=', user?.id ?? '')
      .execute()
    return { verified }
  })
  assert.equal((await verified).body.code, 'invalid_token')
})

test('a verification token can be created while its account is being changed', async (t) => {
  const service = await startService(t)
  const email = newEmail()
  await post(service, '/register', { email, password: PASSWORD })
  service.clock.shift(61)
  await service.db.transaction().execute(async (trx) => {
    await lockUserByEmail(trx, email)
    await post(service, '/email/resend', { email })
  })
  assert.equal((await mailsTo(service, email)).length, 2)
})

test('an invalid reset token costs no password hash', async (t) => {
  const service = await startService(t)
  const hash = t.mock.method(service.services.auth.services.hasher, 'hash')
  const answer = await post(service, '/password/reset', { token: 'made-up', newPassword: PASSWORD })
  assert.equal(answer.body.code, 'invalid_token')
  assert.equal(hash.mock.callCount(), 0)
})

test('EM-2: a mailed token is valid for its purpose only', async (t) => {
  const service = await startService(t)
  const { email, refreshToken, accessToken } = await service.signUp()
  await post(service, '/password/forgot', { email })
  const reset = await mailedToken(service.request, service.origin, email)
  for (const token of [reset, refreshToken, accessToken.slice(0, 200)]) {
    assert.equal((await post(service, '/email/verify', { token })).status, 400)
  }
  assert.equal((await post(service, '/refresh', { refreshToken: reset })).status, 401)
  assert.equal((await post(service, '/password/reset', { token: reset, newPassword: PASSWORD })).status, 204)
})

test('EM-3: mailed links have the configured origin, and a GET consumes no token', async (t) => {
  const service = await startService(t)
  const { email } = await service.signUp()
  const host = 'evil.example'
  const forged = { host, 'x-forwarded-host': host, forwarded: `host=${host}`, origin: `https://${host}` }
  const status = await postWithHost(`${service.origin}/v1/api/auth/password/forgot`, { email }, forged)
  assert.equal(status, 202)
  const [mail] = await mailsTo(service, email)
  assert.match(mail?.text ?? '', /http:\/\/platen\.localhost\/reset-password\?token=[\w-]{43}\n/)
  const token = await mailedToken(service.request, service.origin, email)
  for (let n = 0; n < 3; n += 1) await service.request('GET', `${service.origin}/reset-password?token=${token}`)
  assert.equal((await post(service, '/password/reset', { token, newPassword: PASSWORD })).status, 204)
})

test('EM-6: registration accepts a single plain email address only', async (t) => {
  const service = await startService(t)
  const bad = [
    'a@example.com\r\nBcc: b@example.com',
    'a@example.com\n',
    'a@example.com,b@example.com',
    'a@b@example.com',
    'a＠example.com',
    'a@example.com＠evil.example',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(20)}.com`,
    '"a b"@example.com',
    'Ada <a@example.com>',
    'a@localhost',
    'a..b@example.com',
    'a@-example.com',
    'a\u200b@example.com',
    ['a@example.com'],
    { address: 'a@example.com' },
  ]
  for (const email of bad) {
    for (const path of ['/register', '/password/forgot', '/login']) {
      const body = path === '/password/forgot' ? { email } : { email, password: PASSWORD }
      const answer = await post(service, path, body)
      assert.equal(answer.status, 400, `${path} ${JSON.stringify(email)}`)
      assert.equal(answer.body.errors[0].pointer, '/email')
    }
  }
  assert.deepEqual((await service.request('GET', `${service.origin}/dev/outbox`)).body, [])
})

test('EM-6: mails of one kind to one email are capped per minute and hour, with the same response', async (t) => {
  const service = await startService(t)
  const { email } = await service.signUp()
  const forgot = async (): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(service, '/password/forgot', { email })))
    assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([202]))
    return (await mailsTo(service, email)).filter((mail) => mail.subject === 'Set a new password').length
  }
  assert.equal(await forgot(), 1)
  for (let n = 2; n <= 7; n += 1) {
    service.clock.shift(61)
    assert.equal(await forgot(), Math.min(n, 5))
  }
  service.clock.shift(3600)
  assert.equal(await forgot(), 6)
})

test('PATCH /me changes the name and nothing else', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const changed = await service.request('PATCH', '/me', { token, body: { name: 'Ada Lovelace' } })
  assert.equal(changed.body.name, 'Ada Lovelace')
  for (const body of [{ role: 'admin' }, { emailVerified: true }, { id: 'usr_x' }, { name: '' }, { name: 'a\u0007' }]) {
    assert.equal((await service.request('PATCH', '/me', { token, body })).status, 400)
  }
  assert.equal((await service.request('PATCH', '/me', { token, body: { name: null } })).body.name, null)
})

test('only administrators manage users', async (t) => {
  const service = await startService(t)
  const admin = await service.signUp({ role: 'admin' })
  const customer = await service.signUp()
  for (const role of ['customer', 'operator'] as const) {
    const { accessToken: token } = await service.signUp({ role })
    for (const [method, path] of [
      ['GET', '/users'],
      ['GET', `/users/${admin.userId}`],
    ] as const) {
      assert.equal((await service.request(method, path, { token })).body.code, 'insufficient_role')
    }
    const body = { role: 'admin' }
    assert.equal((await service.request('PATCH', `/users/${customer.userId}`, { token, body })).status, 403)
  }
  const token = admin.accessToken
  const list = await service.request('GET', '/users?limit=2', { token })
  assert.equal(list.body.data.length, 2)
  assert.notEqual(list.body.nextCursor, null)
  assert.equal((await service.request('GET', '/users/usr_nonsense', { token })).status, 404)
  const promoted = await service.request('PATCH', `/users/${customer.userId}`, { token, body: { role: 'operator' } })
  assert.equal(promoted.body.role, 'operator')
})

test('the last administrator stays, even if two administrators remove each other at once', async (t) => {
  const service = await startService(t)
  const first = await service.signUp({ role: 'admin' })
  const second = await service.signUp({ role: 'admin' })
  const demote = (by: { accessToken: string }, whom: { userId: string }) =>
    service.request('PATCH', `/users/${whom.userId}`, { token: by.accessToken, body: { role: 'customer' } })
  const held = await service.db.startTransaction().execute()
  await held.selectFrom('users').select('id').where('id', '=', first.userId).forUpdate().execute()
  const both = [demote(first, second), demote(second, first)]
  await service.untilBlocked(2)
  await held.commit().execute()
  const answers = (await Promise.all(both)).sort((a, b) => a.status - b.status)
  assert.deepEqual(
    answers.map(({ status, body }) => body.code ?? status),
    [200, 'insufficient_role'],
  )
  const last = answers[0]?.body.id === first.userId ? second : first
  const refused = await demote(last, last)
  assert.deepEqual([refused.status, refused.body.code], [409, 'last_administrator'])
})

test('TK-6: an administrator who is disabled while their request waits changes nothing', async (t) => {
  const service = await startService(t)
  const [first, second, third] = [
    await service.signUp({ role: 'admin' }),
    await service.signUp({ role: 'admin' }),
    await service.signUp({ role: 'admin' }),
  ]
  const disable = (by: { accessToken: string }, whom: { userId: string }) =>
    service.request('PATCH', `/users/${whom.userId}`, { token: by.accessToken, body: { disabled: true } })
  const held = await service.db.startTransaction().execute()
  await sql`select from users where id = ${first.userId} for no key update`.execute(held)
  const both = [disable(first, second), disable(second, first)]
  await service.untilBlocked(2)
  await held.commit().execute()
  const statuses = (await Promise.all(both)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [200, 401])
  const { body } = await service.request('GET', '/users', { token: third.accessToken })
  assert.equal(body.data.filter(({ disabled }: { disabled: boolean }) => disabled).length, 1)
})

test('the first administrator is created once, and only after the password was shown', async (t) => {
  const service = await startService(t)
  const shown: unknown[] = []
  const wanted = {
    email: 'boss@example.com',
    password: undefined,
    generatePassword: () => PASSWORD,
    show: (made: unknown) => shown.push(made),
  }
  const deps = { db: service.db, clock: service.clock }
  const cannotShow = () => {
    throw new Error('nobody listens')
  }
  await assert.rejects(ensureAdministrator(deps, { ...wanted, show: cannotShow }), /nobody listens/)
  await ensureAdministrator(deps, wanted)
  await ensureAdministrator(deps, { ...wanted, email: 'second@example.com' })
  assert.deepEqual(shown, [{ email: 'boss@example.com', password: PASSWORD }])
  const login = await post(service, '/login', { email: 'boss@example.com', password: PASSWORD })
  const me = await service.request('GET', '/me', { token: login.body.accessToken })
  assert.equal(me.body.role, 'admin')
})
