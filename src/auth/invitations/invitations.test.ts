import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { sql } from 'kysely'
import { type StartOptions, startService } from '../../../test/harness.ts'
import { mailedToken } from '../../../test/people.ts'

const PASSWORD = 'gravel tango lighthouse'
const DAY = 24 * 3600

async function start(t: TestContext, options: StartOptions = {}) {
  const service = await startService(t, options)
  const admin = await service.signUp({ role: 'admin' })
  const invite = (body: object, token = admin.accessToken) => service.request('POST', '/invitations', { token, body })
  const post = (path: string, body: object, token?: string) =>
    service.request('POST', `/api/auth${path}`, { body, ...(token === undefined ? {} : { token }) })
  const accept = (token: string, more: object = {}) =>
    post('/invitations/accept', { token, password: PASSWORD, ...more })
  const invited = async (body: { email: string; role: string } & Record<string, unknown>) => {
    const created = await invite(body)
    assert.equal(created.status, 201, created.text)
    return { ...created.body, token: await mailedToken(service.request, service.origin, body.email) }
  }
  const statusOf = async (id: string) =>
    (await service.request('GET', `/invitations/${id}`, { token: admin.accessToken })).body.status
  return { service, admin, invite, post, accept, invited, statusOf }
}

const newEmail = () => `${randomUUID()}@example.com`

test('an invited person gets an account with the invited role, once, and can sign in', async (t) => {
  const { service, invited, accept, post, statusOf } = await start(t)
  const email = newEmail()
  const { id, token, status } = await invited({ email, role: 'operator', staffRole: 'packing', locale: 'de' })
  assert.equal(status, 'pending')
  const { body: offer } = await post('/invitations/read', { token })
  assert.deepEqual([offer.email, offer.role, offer.staffRole, offer.hasAccount], [email, 'operator', 'packing', false])
  assert.equal((await accept(token, { password: 'short' })).body.code, 'password_rejected')
  const both = await Promise.all([accept(token, { name: 'Paul' }), accept(token, { name: 'Paul' })])
  assert.equal(both.filter((answer) => answer.status === 200).length, 1)
  assert.equal((await accept(token)).body.code, 'invalid_token')
  const { body: signedIn } = await post('/login', { email, password: PASSWORD })
  const { body: me } = await service.request('GET', '/me', { token: signedIn.accessToken })
  assert.deepEqual(
    [me.role, me.staffRole, me.emailVerified, me.name, me.locale],
    ['operator', 'packing', true, 'Paul', 'de'],
  )
  assert.equal(await statusOf(id), 'accepted')
})

test('EM-1: an invitation ends after 7 days, by revocation, by a newer one, and with the role of its inviter', async (t) => {
  const { service, admin, invite, invited, accept, statusOf } = await start(t)
  const second = await service.signUp({ role: 'admin' })
  const email = newEmail()
  const first = await invited({ email, role: 'operator' })
  assert.equal((await invite({ email, role: 'operator' })).status, 429)
  service.clock.shift(61)
  const newer = await invited({ email, role: 'operator' })
  assert.deepEqual([await statusOf(first.id), (await accept(first.token)).body.code], ['revoked', 'invalid_token'])
  const remove = () => service.request('DELETE', `/invitations/${newer.id}`, { token: admin.accessToken })
  assert.deepEqual([(await remove()).status, (await remove()).status], [204, 404])
  assert.deepEqual([await statusOf(newer.id), (await accept(newer.token)).body.code], ['revoked', 'invalid_token'])
  const own = await invited({ email: newEmail(), role: 'operator' })
  const late = await invited({ email: newEmail(), role: 'operator' })
  const demote = (role: string) =>
    service.request('PATCH', `/users/${admin.userId}`, { token: second.accessToken, body: { role } })
  assert.equal((await demote('operator')).status, 200)
  assert.equal((await accept(own.token)).body.code, 'invalid_token')
  await demote('admin')
  assert.equal((await accept(own.token)).status, 200)
  service.clock.shift(7 * DAY)
  assert.equal((await accept(late.token)).body.code, 'invalid_token')
})

test('OA-7: accepting an invitation empties an unverified registration with the same email address', async (t) => {
  const { invited, accept, post } = await start(t)
  const email = newEmail()
  await post('/register', { email, password: 'a stranger was here first', name: 'Mallory' })
  const { token } = await invited({ email, role: 'operator' })
  assert.equal((await accept(token)).status, 200)
  assert.equal((await post('/login', { email, password: 'a stranger was here first' })).status, 401)
  assert.equal((await post('/login', { email, password: PASSWORD })).status, 200)
})

test('an existing account gets the role only in its own recent session, and never loses anything', async (t) => {
  const { service, invited, accept, post } = await start(t)
  const owner = await service.signUp({ email: newEmail() })
  const stranger = await service.signUp()
  const { token } = await invited({ email: owner.email, role: 'operator' })
  assert.equal((await post('/invitations/read', { token })).body.hasAccount, true)
  assert.equal((await accept(token)).body.code, 'invitation_needs_sign_in')
  const claim = (by: { accessToken: string }, given = token) =>
    post('/invitations/claim', { token: given }, by.accessToken)
  assert.equal((await claim(stranger)).body.code, 'invitation_for_another_account')
  assert.deepEqual([(await claim(owner)).body.role, (await claim(owner)).body.code], ['operator', 'invalid_token'])
  // The session from before the invitation works with the new role at once.
  assert.equal((await service.request('GET', '/production/orders', { token: owner.accessToken })).status, 200)
  service.clock.shift(61)
  const restricting = await invited({ email: owner.email, role: 'operator', staffRole: 'read_only' })
  assert.equal((await claim(owner, restricting.token)).body.staffRole, null)
})

test('the mail of an invitation has its language and no text of the administrator', async (t) => {
  const { service, invite } = await start(t)
  const mails: Record<string, string> = {
    de: 'Einladung zu Platen',
    en: 'Invitation to Platen',
    fr: 'Invitation to Platen',
  }
  for (const [locale, subject] of Object.entries(mails)) {
    const email = newEmail()
    await invite({ email, role: 'operator', locale })
    const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
    const mail = body.find(({ to }: { to: string }) => to === email)
    assert.equal(mail.subject, subject)
    assert.match(mail.text, /\/accept-invitation\?token=/)
  }
  assert.equal(
    (await invite({ email: newEmail(), role: 'admin', staffRole: 'packing' })).body.code,
    'staff_role_needs_operator',
  )
})

test('registration by invitation only: nobody registers, but invited persons do', async (t) => {
  const { invited, accept, post } = await start(t, { env: { PLATEN_REGISTRATION: 'invitation' } })
  const refused = await post('/register', { email: newEmail(), password: PASSWORD })
  assert.deepEqual([refused.status, refused.body.code], [403, 'registration_closed'])
  const { token } = await invited({ email: newEmail(), role: 'customer' })
  assert.equal((await accept(token)).status, 200)
})

test('closed registration: only operators and administrators are invited', async (t) => {
  const { invite, post } = await start(t, { env: { PLATEN_REGISTRATION: 'closed' } })
  assert.equal((await post('/register', { email: newEmail(), password: PASSWORD })).body.code, 'registration_closed')
  assert.equal((await invite({ email: newEmail(), role: 'customer' })).body.code, 'registration_closed')
  assert.equal((await invite({ email: newEmail(), role: 'operator' })).status, 201)
})

test('deleting an account removes the invitation that it accepted', async (t) => {
  const { service, invited, accept, post } = await start(t)
  const email = newEmail()
  const { token } = await invited({ email, role: 'operator' })
  await accept(token)
  const { accessToken } = (await post('/login', { email, password: PASSWORD })).body
  assert.equal((await service.request('DELETE', '/me', { token: accessToken })).status, 204)
  const { rows } = await sql`select from invitations where email = ${email}`.execute(service.db)
  assert.equal(rows.length, 0)
})
