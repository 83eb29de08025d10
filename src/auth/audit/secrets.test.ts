import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test from 'node:test'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { startService, type TestService } from '../../../test/harness.ts'
import { mailedToken } from '../../../test/people.ts'

const AGENT = 'a browser'

/** Returns all texts that people may read later: logs, security events, and subjects of mails. */
async function writtenDown(service: TestService): Promise<Record<string, string>> {
  const events = await sql`select to_jsonb(e) as event from security_events e`.execute(service.db)
  const subjects = await sql`select subject, recipient from outbox_messages`.execute(service.db)
  return {
    'the log': service.logLines(),
    'the record': JSON.stringify(events.rows),
    'the subjects of mails': JSON.stringify(subjects.rows),
  }
}

test('LG-2: no password, token, code or key appears in logs, security events or mail subjects', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '1000' } })
  const secrets = new Map<string, string>()
  const note = (what: string, secret: string): string => {
    secrets.set(what, secret)
    return secret
  }
  const send = async (method: string, path: string, body?: object, token?: string) => {
    const answer = await service.request(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(token === undefined ? {} : { token }),
      headers: { 'user-agent': AGENT },
    })
    for (const [name, value] of Object.entries(answer.body ?? {})) {
      if (/(token|key|secret|ticket)$/i.test(name)) note(`${name} of ${path}`, String(value))
      if (name === 'recoveryCodes') for (const code of value as string[]) note(`the recovery code ${code}`, code)
    }
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';', 1)[0]?.split('=') ?? []
      if (value !== '') note(`the cookie ${name} of ${path}`, value)
    }
    return answer
  }
  const newPassword = note('the new password', 'gravel tango lighthouse 71')
  const who = await service.register({ password: note('the password', 'quiet harbour 9917 rope') })
  note('an access token', who.accessToken)
  note('a refresh token', who.refreshToken)
  const { email, password } = who
  const token = who.accessToken

  // Secrets that users type into the wrong member or with typing errors.
  await send('POST', '/api/auth/login', { email, password: note('a wrong password', 'wrong harbour 5521 rope') })
  await send('POST', '/api/auth/login', { email: note('a password as email', 'my secret 4441 lighthouse'), password })
  await send('POST', '/api/auth/login', { email, password, [note('an unknown member', 'm7715lighthouse')]: password })
  await send('POST', '/api/auth/register', { email, password: note('too easy', 'password1234') })
  await send('GET', `/me?access_token=${token}&api_key=${password}`)
  await send('GET', `/nowhere/${encodeURIComponent(password)}?token=${who.refreshToken}`)
  await send('POST', '/api/auth/refresh', { refreshToken: `${who.refreshToken}x` })
  await service.request('GET', '/me', { headers: { authorization: `Basic ${btoa(`${email}:${password}`)}` } })

  const { refreshToken } = (await send('POST', '/api/auth/refresh', { refreshToken: who.refreshToken })).body
  const { body: created } = await send('POST', '/api/api-keys', { name: 'x', permissions: ['read'] }, token)
  await send('POST', `/api/api-keys/${created.id}/rotate`, { overlapSeconds: 0 }, token)
  await send('GET', '/designs', undefined, created.key)
  await send('POST', '/api/auth/password/change', { currentPassword: password, newPassword }, token)
  await send('POST', '/api/auth/password/forgot', { email })
  const mailed = note('a mailed token', await mailedToken(service.request, service.origin, email))
  await service.request('GET', `${service.origin}/reset-password?token=${mailed}`)
  const lastPassword = note('the last password', 'another lighthouse tango 33')
  await send('POST', '/api/auth/password/reset', { token: mailed, newPassword: lastPassword })
  await send('POST', '/api/auth/password/reset', { token: mailed, newPassword })

  const { accessToken: last } = (await send('POST', '/api/auth/login', { email, password: lastPassword })).body
  const { body: factor } = await send('POST', '/api/auth/mfa/enable', {}, last)
  const totp = new TOTP({ secret: Secret.fromBase32(factor.secret) })
  const code = totp.generate({ timestamp: service.clock.now().getTime() })
  const confirmed = await send('POST', '/api/auth/mfa/confirm', { factorId: factor.factorId, code }, last)
  const { mfaToken } = (await send('POST', '/api/auth/login', { email, password: lastPassword })).body
  const recoveryCode = confirmed.body.recoveryCodes[0]
  await send('POST', '/api/auth/mfa/verify', { mfaToken, method: 'recovery_code', code: recoveryCode })

  // What a shop makes for others: customers, invited people, webhooks and streams.
  const { accessToken: admin } = await service.signUp({ role: 'admin' })
  const { body: customer } = await send('POST', '/customers', { externalId: 'shop-1' }, admin)
  const { body: issued } = await send('POST', `/customers/${customer.id}/tokens`, {}, admin)
  await send('GET', '/designs', undefined, issued.token)
  await send('POST', '/invitations', { email: 'invited@example.com', role: 'operator' }, admin)
  const invitation = note('an invitation', await mailedToken(service.request, service.origin, 'invited@example.com'))
  await send('POST', '/api/auth/invitations/read', { token: invitation })
  const url = 'https://hooks.example.com/platen'
  await send('POST', '/webhook-endpoints', { url }, admin)
  const { body: opened } = await send('POST', '/events/tickets', {}, admin)
  await service.request('GET', `/events/stream?ticket=${opened.ticket}&after=unknown`)
  const { body: guest } = await send('POST', '/api/auth/guest', {})
  await send('POST', '/api/auth/guest/claim', { guestToken: guest.refreshToken }, admin)
  const pages = { origin: 'http://platen.localhost', 'platen-session': 'cookie' }
  const cookies = await service.request('POST', '/api/auth/guest?session=cookie', { headers: pages })
  assert.equal(cookies.status, 201, cookies.text)
  const session = /platen_session=([^;]+)/.exec(cookies.headers.get('set-cookie') ?? '')?.[1]
  await service.request('POST', '/api/auth/refresh?session=cookie', {
    headers: { ...pages, cookie: `platen_session=${note('a session cookie', session ?? '')}` },
  })

  // If the service fails, the error of PostgreSQL contains the values of the rejected row.
  const hash = await sql<{ password_hash: string }>`select password_hash from users`.execute(service.db)
  note('a password’s hash', hash.rows[0]?.password_hash ?? '')
  await sql`alter table users add constraint away check (updated_at is null) not valid`.execute(service.db)
  await sql`alter table refresh_tokens add constraint away check (rotated_at is null) not valid`.execute(service.db)
  await sql`alter table sessions add constraint away check (user_agent is null) not valid`.execute(service.db)
  assert.equal((await send('PATCH', '/me', { name: 'x' }, last)).status, 500)
  await send('POST', '/api/auth/refresh', { refreshToken })
  assert.equal((await send('POST', '/api/auth/login', { email, password: lastPassword })).body.status, 'mfa_required')

  for (const what of ['token of /customers/', 'secret of /webhook-endpoints', 'ticket of /events/tickets'])
    assert.ok(
      secrets.keys().some((name) => name.startsWith(what)),
      what,
    )
  assert.ok(secrets.size > 40, `${secrets.size} secrets`)
  for (const [place, text] of Object.entries(await writtenDown(service))) {
    assert.ok(text.length > 100, place)
    for (const [what, secret] of secrets) {
      assert.ok(secret.length > 7, what)
      assert.ok(!text.includes(secret), `${what} is in ${place}`)
      assert.ok(!text.includes(encodeURIComponent(secret)), `${what} is in ${place}, encoded`)
    }
  }
  assert.ok(!service.logLines().includes(email), 'nor whose it was')
})

/** Sends raw bytes and waits for the response. */
function sendBytes({ origin }: TestService, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', reject).on('close', () => resolve(answer))
  })
}

test('LG-2: control characters in input forge no line in logs, security events or mails', async (t) => {
  const service = await startService(t)
  const { email, password, accessToken: token } = await service.register()
  const evil = '\r\n{"level":50,"msg":"forged"}\u001b[2J\u0007\u0000'
  const body = JSON.stringify({ email, password: 'wrong harbour 5521 rope' })
  const headers = (agent: string): string =>
    `Host: platen.localhost\r\nUser-Agent: ${agent}\r\nContent-Type: application/json\r\nConnection: close\r\n`
  for (const agent of ['\u001b[31mred\u001b[2J', 'a\u0007b', 'tab\there', 'latin \u00e9\u0085', 'x'.repeat(5000)]) {
    const request = `POST /v1/api/auth/login HTTP/1.1\r\n${headers(agent)}Content-Length: ${body.length}\r\n\r\n${body}`
    assert.match(await sendBytes(service, request), /^HTTP\/1\.1 4/)
  }
  await sendBytes(service, `GET /v1/${encodeURIComponent(evil)} HTTP/1.1\r\n${headers('x')}\r\n`)
  await sendBytes(service, `GET /v1/\u001b[31m HTTP/1.1\r\n${headers('x')}\r\n`)
  const post = (path: string, sent: object) => service.request('POST', path, { body: sent })
  for (const invalid of [
    `ada${evil}@example.com`,
    `ada@example.com${evil}`,
    'ada@example.com\r\nBcc: eve@example.com',
  ]) {
    assert.equal((await post('/api/auth/register', { email: invalid, password: 'quiet harbour rope' })).status, 400)
    assert.equal((await post('/api/auth/password/forgot', { email: invalid })).status, 400)
    assert.equal((await post('/api/auth/login', { email: invalid, password })).status, 400)
  }
  const renamed = await service.request('PATCH', '/me', { token, body: { name: `Ada${evil}` } })
  assert.equal(renamed.status, 400)
  const named = await post('/api/auth/register', { email: 'eve@example.com', password, name: `Eve${evil}` })
  assert.equal(named.status, 400)

  const lines = service.logLines().trimEnd().split('\n')
  assert.ok(lines.length > 20)
  for (const line of lines) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f]/)
    assert.notEqual(JSON.parse(line).msg, 'forged')
  }
  const { rows } = await sql<{
    recipient: string
    subject: string
  }>`select recipient, subject from outbox_messages`.execute(service.db)
  for (const { recipient, subject } of rows) assert.match(`${recipient} ${subject}`, /^[\x20-\x7e]+$/)
  const { body: events } = await service.request('GET', '/me/security-events?type=sign_in_failed', { token })
  for (const { userAgent } of events.data) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    assert.doesNotMatch(userAgent, /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/)
    assert.ok(userAgent.length <= 300)
  }
})
