import assert from 'node:assert/strict'
import test from 'node:test'
import { startService } from '../../../test/harness.ts'
import { mailedToken } from '../../../test/people.ts'

const AGENT = '<script>an odd browser'
const WRONG = 'a wrong password, surely'

test('LG-3: one mail tells the owner of each changed credential, new device, theft and block', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '1000' } })
  const { email, password, accessToken, refreshToken } = await service.register()
  const headers = { 'user-agent': AGENT }
  const post = (path: string, body: object, more: Record<string, string> = {}, token?: string) =>
    service.request('POST', path, { body, headers: { ...headers, ...more }, ...(token && { token }) })

  let seen = 0
  /** Returns the new mails to the owner. Fails if another recipient got a mail. */
  const newMails = async (): Promise<{ subject: string; text: string }[]> => {
    const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
    const fresh = body.slice(0, body.length - seen)
    seen = body.length
    for (const mail of fresh) assert.equal(mail.to, email)
    return fresh
  }
  const subjects = async (): Promise<string[]> => (await newMails()).map(({ subject }) => subject)
  // The first sign-in of an account never counts as a sign-in on a new device.
  assert.deepEqual(await subjects(), ['Confirm your email address'])

  const login = await post('/api/auth/login', { email, password })
  const [newDevice, ...more] = await newMails()
  assert.deepEqual([newDevice?.subject, more.length], ['Sign-in on a new device', 0])
  assert.match(newDevice?.text ?? '', /127\.0\.0\.1/)
  assert.ok(!newDevice?.text.includes(AGENT), 'nothing in it that a stranger could have written')
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  assert.equal((await post('/api/auth/login', { email, password }, { cookie })).status, 200)
  assert.deepEqual(await subjects(), [], 'the device is known now')

  for (let n = 0; n < 6; n += 1) await post('/api/auth/login', { email, password: WRONG })
  assert.deepEqual(await subjects(), ['Sign-in is blocked for a while'])
  for (let n = 0; n < 6; n += 1) await post('/api/auth/login', { email: 'nobody@example.com', password: WRONG })
  assert.deepEqual(await subjects(), [], 'nobody is not told')

  await post('/api/auth/refresh', { refreshToken })
  service.clock.shift(11)
  for (let n = 0; n < 2; n += 1) await post('/api/auth/refresh', { refreshToken })
  assert.deepEqual(await subjects(), ['We signed a device out'])

  const token = login.body.accessToken
  const created = await post('/api/api-keys', { name: 'Write to eve@example.com!', permissions: ['read'] }, {}, token)
  const [keyMail, ...others] = await newMails()
  assert.deepEqual([keyMail?.subject, others.length], ['An API key was created', 0])
  assert.ok(!keyMail?.text.includes('eve@example.com') && !keyMail?.text.includes(created.body.key))
  await post(`/api/api-keys/${created.body.id}/rotate`, { overlapSeconds: 0 }, {}, token)
  assert.deepEqual(await subjects(), ['An API key was replaced'])
  const path = `/api/api-keys/${created.body.id}`
  const { body: shown } = await service.request('GET', path, { token })
  for (const status of [204, 404]) assert.equal((await service.request('DELETE', path, { token })).status, status)
  const [revoked, ...again] = await newMails()
  assert.deepEqual([revoked?.subject, again.length], ['An API key was revoked', 0])
  assert.ok(revoked?.text.includes(shown.start) && revoked.text.includes(shown.last4))

  const newPassword = 'gravel tango lighthouse'
  await post('/api/auth/password/change', { currentPassword: password, newPassword }, {}, token)
  assert.deepEqual(await subjects(), ['Your password was changed'])
  service.clock.shift(61)
  await post('/api/auth/password/forgot', { email })
  assert.deepEqual(await subjects(), ['Set a new password'])
  const mailed = await mailedToken(service.request, service.origin, email)
  await post('/api/auth/password/reset', { token: mailed, newPassword: 'another lighthouse tango' })
  assert.deepEqual(await subjects(), ['Your password was changed'])
  assert.equal((await service.request('GET', '/me', { token: accessToken })).status, 401)
})

test('LG-3: a mail reports a block of password confirmations, and a reset lifts it', async (t) => {
  const service = await startService(t)
  const { email, password, accessToken: token } = await service.register()
  const stepUp = (given: string, by: string) =>
    service.request('POST', '/api/auth/step-up', { token: by, body: { password: given } })
  for (let n = 0; n < 5; n += 1) await stepUp(WRONG, token)
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  assert.equal(outbox.body[0].subject, 'Wrong passwords on a signed-in device')
  assert.match(outbox.body[0].text, /no signed-in device can confirm/)
  // Checks the statements of the mail: the block includes known devices, does not affect signing in, and ends with a
  // new password.
  const login = await service.request('POST', '/api/auth/login', { body: { email, password } })
  assert.equal(login.status, 200)
  assert.equal((await stepUp(password, login.body.accessToken)).status, 429)
  await service.request('POST', '/api/auth/password/forgot', { body: { email } })
  const newPassword = 'gravel tango lighthouse'
  const mailed = await mailedToken(service.request, service.origin, email)
  await service.request('POST', '/api/auth/password/reset', { body: { token: mailed, newPassword } })
  const again = await service.request('POST', '/api/auth/login', { body: { email, password: newPassword } })
  assert.equal((await stepUp(newPassword, again.body.accessToken)).status, 200)
})
