import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { startService, type TestService } from '../../../../test/harness.ts'
import { enableTotp } from '../../../../test/lib/second-factor.ts'
import { mailedToken, type SignedUp } from '../../../../test/people.ts'
import { emailPseudonym } from '../../users/email-pseudonym.ts'

const newEmail = (): string => `${randomUUID()}@example.com`

function change(service: TestService, token: string, email: unknown) {
  return service.request('POST', '/api/auth/email/change', { token, body: { newEmail: email } })
}

function confirm(service: TestService, token: string) {
  return service.request('POST', '/api/auth/email/confirm', { body: { token } })
}

async function login(service: TestService, email: string, password: string): Promise<number> {
  return (await service.request('POST', '/api/auth/login', { body: { email, password } })).status
}

async function subjectsTo(service: TestService, email: string): Promise<string[]> {
  const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
  return body.flatMap((mail: { to: string; subject: string }) => (mail.to === email ? [mail.subject] : []))
}

/** Requests a change to a new email address and returns the mailed token. */
async function begin(service: TestService, { accessToken }: SignedUp, to: string): Promise<string> {
  assert.equal((await change(service, accessToken, to)).status, 202)
  return mailedToken(service.request, service.origin, to)
}

test('EM-5, LG-3, SE-4: a confirmed email change notifies the old address and ends other sessions', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const { email: before, password } = person
  const other = await service.request('POST', '/api/auth/login', { body: { email: before, password } })
  const after = newEmail()
  const token = await begin(service, person, after)
  assert.ok((await subjectsTo(service, before)).includes('Change of your email address requested'))
  assert.deepEqual(await subjectsTo(service, after), ['Confirm your new email address'])
  assert.equal(await login(service, after, password), 401)
  assert.equal(await login(service, before, password), 200)

  await service.request('POST', '/api/auth/password/forgot', { body: { email: before } })
  const reset = await mailedToken(service.request, service.origin, before)
  const confirmed = await confirm(service, token)
  assert.deepEqual([confirmed.status, confirmed.body], [200, { status: 'confirmed' }])
  assert.equal((await confirm(service, token)).body.code, 'invalid_token')
  assert.equal((await subjectsTo(service, before))[0], 'Your email address was changed')
  const me = await service.request('GET', '/me', { token: person.accessToken })
  assert.deepEqual([me.body.email, me.body.emailVerified], [after, true])
  assert.equal((await service.request('GET', '/me', { token: other.body.accessToken })).status, 401)
  assert.deepEqual([await login(service, before, password), await login(service, after, password)], [401, 200])
  const body = { token: reset, newPassword: 'a link to the old mailbox' }
  assert.equal((await service.request('POST', '/api/auth/password/reset', { body })).body.code, 'invalid_token')
})

test('EM-5, SU-1: an email change needs a recent authentication', async (t) => {
  const service = await startService(t)
  const { accessToken } = await service.signUp()
  assert.equal((await change(service, '', newEmail())).status, 401)
  service.clock.shift(601)
  const answer = await change(service, accessToken, newEmail())
  assert.deepEqual([answer.status, answer.body.code, answer.body.maxAge], [403, 'step_up_required', 600])
})

test('EM-5: no other route changes or verifies an email address', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  for (const body of [{ email: newEmail() }, { emailVerified: true }, { newEmail: newEmail() }]) {
    assert.equal((await service.request('PATCH', '/me', { token, body })).status, 400)
  }
  const body = { newEmail: newEmail(), emailVerified: true }
  assert.equal((await service.request('POST', '/api/auth/email/change', { token, body })).status, 400)
})

test('EM-5: a request for a taken address gets the usual response; only its owner is told', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const { email: taken } = await service.signUp()
  const open = await begin(service, person, newEmail())
  const answer = await change(service, person.accessToken, taken)
  // If the earlier token were still valid, the caller would learn that the requested email address is taken.
  assert.equal((await confirm(service, open)).body.code, 'invalid_token')
  const free = await change(service, person.accessToken, newEmail())
  assert.deepEqual([answer.status, answer.text], [free.status, free.text])
  assert.deepEqual([...answer.headers.keys()].sort(), [...free.headers.keys()].sort())
  assert.equal((await subjectsTo(service, taken))[0], 'Your email address belongs to this account')
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  const mail = outbox.body.find(({ to }: { to: string }) => to === taken)
  assert.doesNotMatch(mail.text, /token=/)
  assert.equal((await change(service, person.accessToken, person.email)).body.code, 'email_unchanged')
})

test('EM-1: a token to change the email works once, until it expires or a newer one replaces it', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const older = await begin(service, person, newEmail())
  const newer = await begin(service, person, newEmail())
  assert.equal((await confirm(service, older)).status, 400)
  const all = await Promise.all(Array.from({ length: 20 }, () => confirm(service, newer)))
  assert.deepEqual(all.map((answer) => answer.status).sort(), [200, ...Array.from({ length: 19 }, () => 400)])
  const late = await begin(service, person, newEmail())
  service.clock.shift(3601)
  assert.equal((await confirm(service, late)).body.code, 'invalid_token')
})

/** The operations that take a token, with a body. */
const BODIES: Readonly<Record<string, (token: string) => object>> = {
  '/email/verify': (token) => ({ token }),
  '/password/reset': (token) => ({ token, newPassword: 'gravel tango lighthouse' }),
  '/email/confirm': (token) => ({ token }),
  '/invitations/accept': (token) => ({ token, password: 'gravel tango lighthouse' }),
  '/factor-reset/stop': (token) => ({ token }),
  '/mfa/verify': (token) => ({ mfaToken: token, method: 'totp', code: '123456' }),
  '/refresh': (token) => ({ refreshToken: token }),
}

/** How a foreign token is refused. Others say `invalid_token`. */
const REFUSALS: Readonly<Record<string, string>> = {
  '/mfa/verify': '401 invalid_mfa_token',
  '/refresh': '401 invalid_refresh_token',
}

/** Returns a token of each kind, by the operation that it is for. */
async function tokensOfEachKind(service: TestService): Promise<Record<string, string>> {
  const tokenTo = (email: string) => mailedToken(service.request, service.origin, email)
  const post = (path: string, body: object, token?: string) =>
    service.request('POST', path, { body, ...(token === undefined ? {} : { token }) })
  const [person, admin] = [await service.signUp(), await service.signUp({ role: 'admin' })]
  const [waiting, invited] = [newEmail(), newEmail()]
  const confirming = await begin(service, person, newEmail())
  await enableTotp(service, person)
  const { email, password, userId } = person
  const pending = await post('/api/auth/login', { email, password })
  assert.equal((await post(`/users/${userId}/factor-resets`, {}, admin.accessToken)).status, 201)
  const stopping = await tokenTo(email)
  await post('/api/auth/password/forgot', { email })
  await post('/api/auth/register', { email: waiting, password: 'gravel tango lighthouse' })
  assert.equal((await post('/invitations', { email: invited, role: 'operator' }, admin.accessToken)).status, 201)
  return {
    '/email/verify': await tokenTo(waiting),
    '/password/reset': await tokenTo(email),
    '/email/confirm': confirming,
    '/invitations/accept': await tokenTo(invited),
    '/factor-reset/stop': stopping,
    '/mfa/verify': pending.body.mfaToken,
    '/refresh': (await post('/api/auth/guest', {})).body.refreshToken,
  }
}

test('EM-2: each kind of token is rejected for every other purpose', async (t) => {
  const service = await startService(t)
  const tokens = await tokensOfEachKind(service)
  assert.deepEqual(Object.keys(tokens), Object.keys(BODIES))
  for (const [own, token] of Object.entries(tokens)) {
    for (const [path, bodyOf] of Object.entries(BODIES)) {
      if (path === own) continue
      const answer = await service.request('POST', `/api/auth${path}`, { body: bodyOf(token) })
      assert.equal(`${answer.status} ${answer.body.code}`, REFUSALS[path] ?? '400 invalid_token', `${own} at ${path}`)
    }
    assert.equal((await service.request('GET', '/me', { token })).status, 401)
  }
  assert.equal((await confirm(service, tokens['/email/confirm'] ?? '')).status, 200)
})

test('EM-4: a reset or change of the password cancels a pending email change', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const first = await begin(service, person, newEmail())
  const body = { currentPassword: person.password, newPassword: 'gravel tango lighthouse' }
  const changed = await service.request('POST', '/api/auth/password/change', { token: person.accessToken, body })
  assert.equal(changed.status, 204)
  assert.equal((await confirm(service, first)).body.code, 'invalid_token')

  const second = await begin(service, person, newEmail())
  await service.request('POST', '/api/auth/password/forgot', { body: { email: person.email } })
  const token = await mailedToken(service.request, service.origin, person.email)
  const reset = { token, newPassword: 'a quiet lake at dusk' }
  assert.equal((await service.request('POST', '/api/auth/password/reset', { body: reset })).status, 204)
  assert.equal((await confirm(service, second)).body.code, 'invalid_token')
})

/** Requests that end the thief's session and are sent by others. `owner` and `thief` are sessions of one account. */
const ENDINGS: Record<string, (service: TestService, owner: SignedUp, thief: SignedUp) => Promise<unknown>> = {
  'the others are revoked': (service, { accessToken: token }) =>
    service.request('POST', '/api/auth/sessions/revoke-others', { token }),
  'it is revoked': (service, { accessToken: token }, thief) =>
    service.request('DELETE', `/api/auth/sessions/${decodeJwt(thief.accessToken)['sid']}`, { token }),
  'it signs out before the others are revoked': async (service, { accessToken: token }, thief) => {
    await service.request('POST', '/api/auth/logout', { token: thief.accessToken })
    await service.request('POST', '/api/auth/sessions/revoke-others', { token })
  },
  'its refresh token is used twice': async (service, _owner, { refreshToken }) => {
    await service.request('POST', '/api/auth/refresh', { body: { refreshToken } })
    service.clock.shift(11)
    await service.request('POST', '/api/auth/refresh', { body: { refreshToken } })
  },
  'the account is disabled for a while': async (service, { userId }) => {
    const { accessToken: token } = await service.signUp({ role: 'admin' })
    for (const disabled of [true, false]) {
      const answer = await service.request('PATCH', `/users/${userId}`, { token, body: { disabled } })
      assert.equal(answer.status, 200)
    }
  },
}

/** Opens a second session of an account. */
async function signInAgain(service: TestService, owner: SignedUp): Promise<SignedUp> {
  const { email, password } = owner
  const { body } = await service.request('POST', '/api/auth/login', { body: { email, password } })
  return { ...owner, accessToken: body.accessToken, refreshToken: body.refreshToken }
}

test('EM-5, SE-3: an email change is void once another person ended the session that requested it', async (t) => {
  const service = await startService(t)
  for (const [name, end] of Object.entries(ENDINGS)) {
    const owner = await service.signUp()
    const thief = await signInAgain(service, owner)
    const token = await begin(service, thief, newEmail())
    await end(service, owner, thief)
    assert.equal((await service.request('GET', '/me', { token: thief.accessToken })).status, 401, name)
    const confirmed = await confirm(service, token)
    assert.deepEqual([confirmed.status, confirmed.body.code], [400, 'invalid_token'], name)
    assert.equal(await login(service, owner.email, owner.password), 200, name)
  }
})

test('EM-5, SE-3: an email change is void if its session is revoked while the confirmation waits', async (t) => {
  const service = await startService(t)
  const owner = await service.signUp()
  const thief = await signInAgain(service, owner)
  const token = await begin(service, thief, newEmail())
  const confirming = await service.db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${owner.userId} for no key update`.execute(trx)
    const sent = confirm(service, token)
    await service.untilBlocked()
    await ENDINGS['it is revoked']?.(service, owner, thief)
    return [sent]
  })
  assert.equal((await confirming[0])?.body.code, 'invalid_token')
  assert.equal(await login(service, owner.email, owner.password), 200)
})

test('EM-5: a caller who signs out after requesting an email change can still confirm it', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const after = newEmail()
  const token = await begin(service, person, after)
  await service.request('POST', '/api/auth/logout', { token: person.accessToken })
  assert.equal((await confirm(service, token)).status, 200)
  assert.equal(await login(service, after, person.password), 200)
})

test('EM-4, EM-5: an email change invalidates a reset link that is requested at the same time', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const token = await begin(service, person, newEmail())
  const forgot = () => service.request('POST', '/api/auth/password/forgot', { body: { email: person.email } })
  // The lock makes the reset request wait after it has looked up the account.
  const held = await service.db.startTransaction().execute()
  await sql`insert into mail_history (kind, address, sent_at)
    values ('reset_password', ${emailPseudonym(service.services.auth.services.keys, person.email)}, array[now()])`.execute(
    held,
  )
  const asked = forgot()
  await service.untilBlocked()
  const confirmed = confirm(service, token)
  await Promise.race([confirmed, service.untilBlocked(2)])
  await held.rollback().execute()
  assert.deepEqual([(await asked).status, (await confirmed).status], [202, 200])
  const mailed = await mailedToken(service.request, service.origin, person.email)
  const body = { token: mailed, newPassword: 'a link to the old mailbox' }
  assert.equal((await service.request('POST', '/api/auth/password/reset', { body })).body.code, 'invalid_token')
})

test('EM-4, EM-5: a reset requested during an email change sends no mail to the old address', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const token = await begin(service, person, newEmail())
  const sent = await service.db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${person.userId} for no key update`.execute(trx)
    const confirmed = confirm(service, token)
    await service.untilBlocked()
    const asked = service.request('POST', '/api/auth/password/forgot', { body: { email: person.email } })
    await service.untilBlocked(2)
    return [confirmed, asked]
  })
  const answers = await Promise.all(sent)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 202],
  )
  assert.ok(!(await subjectsTo(service, person.email)).includes('Set a new password'))
})

test('EM-5: two owners who swap their email addresses at once both get email_taken', async (t) => {
  const service = await startService(t)
  const people = [await service.signUp(), await service.signUp()]
  const tokens: string[] = []
  for (const [index, person] of people.entries()) {
    tokens.push(await begin(service, person, newEmail()))
    await sql`update email_tokens set new_email = ${people[1 - index]?.email}
      where user_id = ${person.userId} and purpose = 'change_email'`.execute(service.db)
  }
  // The lock makes each confirmation wait after it has locked its own account.
  const sent = await service.db.transaction().execute(async (trx) => {
    await sql`select from email_tokens for update`.execute(trx)
    const confirmed = tokens.map((token) => confirm(service, token))
    await service.untilBlocked(2)
    return confirmed
  })
  const codes = (await Promise.all(sent)).map(({ body }) => body.code)
  assert.deepEqual(codes, ['email_taken', 'email_taken'])
})

test('EM-5: an unverified account keeps its email if it is disabled while a change waits for it', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const after = newEmail()
  await service.request('POST', '/api/auth/register', { body: { email: after, password: 'gravel tango lighthouse' } })
  const token = await begin(service, person, after)
  const sent = await service.db.transaction().execute(async (trx) => {
    await sql`update users set disabled_at = now() where email = ${after}`.execute(trx)
    const confirmed = confirm(service, token)
    await service.untilBlocked()
    return [confirmed]
  })
  assert.equal((await sent[0])?.body.code, 'email_taken')
})

test('EM-6: tokens for new email addresses are capped per address and per account', async (t) => {
  const service = await startService(t)
  const [person, second] = [await service.signUp(), await service.signUp()]
  const after = newEmail()
  const token = await begin(service, person, after)
  for (const by of [person, second]) assert.equal((await change(service, by.accessToken, after)).status, 202)
  assert.equal((await subjectsTo(service, after)).length, 1)
  const others = Array.from({ length: 6 }, newEmail)
  for (const to of others) assert.equal((await change(service, second.accessToken, to)).status, 202)
  const sent = await Promise.all(others.map((to) => subjectsTo(service, to)))
  // The request above counts, too.
  assert.deepEqual(
    sent.map((subjects) => subjects.length),
    [1, 1, 1, 1, 0, 0],
  )
  assert.equal((await confirm(service, token)).status, 200)
})

test('EM-6: an email change accepts a single plain email address only', async (t) => {
  const service = await startService(t)
  const { accessToken } = await service.signUp()
  for (const bad of [
    'a@example.com\r\nBcc: b@example.com',
    'a@x.example,b@x.example',
    'a＠example.com',
    ['a@x.example'],
    7,
  ]) {
    const answer = await change(service, accessToken, bad)
    assert.deepEqual([answer.status, answer.body.errors[0].pointer], [400, '/newEmail'])
  }
})

test('EM-5: an email address that was verified in the meantime stays with its account', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const after = newEmail()
  const token = await begin(service, person, after)
  const { password } = await service.signUp({ email: after })
  assert.equal((await confirm(service, token)).body.code, 'email_taken')
  assert.equal(await login(service, after, password), 200)
  assert.equal(await login(service, person.email, person.password), 200)
})

test('OA-7: an unverified registration does not keep an email address from its owner', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const after = newEmail()
  const planted = 'a stranger was here first'
  await service.request('POST', '/api/auth/register', { body: { email: after, password: planted } })
  const theirs = await mailedToken(service.request, service.origin, after)
  const token = await begin(service, person, after)
  assert.equal((await confirm(service, token)).status, 200)
  assert.deepEqual([await login(service, after, planted), await login(service, after, person.password)], [401, 200])
  assert.equal((await service.request('POST', '/api/auth/email/verify', { body: { token: theirs } })).status, 400)
})

// Without the retry, the update would violate the unique index, and the response would have status 500.
test('EM-5: a concurrent registration of the email address does not stop the change', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const after = newEmail()
  const token = await begin(service, person, after)
  const { confirmed } = await service.db.transaction().execute(async (trx) => {
    const at = new Date()
    const row = { id: 'usr_00000000000000000000000000', email: after, role: 'customer', created_at: at, updated_at: at }
    await trx.insertInto('users').values(row).execute()
    const confirmed = confirm(service, token)
    await service.untilBlocked()
    return { confirmed }
  })
  assert.equal((await confirmed).status, 200)
  assert.equal(await login(service, after, person.password), 200)
})
