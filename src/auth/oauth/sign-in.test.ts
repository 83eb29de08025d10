import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newBrowser } from '../../../test/fakes/sign-in/browser.ts'
import { type Github, startGithub } from '../../../test/fakes/sign-in/github.ts'
import {
  type Claims,
  type Google,
  type Signing,
  startGoogle,
  startOpenIdProvider,
} from '../../../test/fakes/sign-in/google.ts'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'

const NOBODY = { email: 'nobody@example.com', email_verified: true, name: 'Nobody' }

async function startWithProviders(t: Parameters<typeof startService>[0], env: Record<string, string> = {}) {
  const google = await startGoogle(t)
  const github = await startGithub(t)
  const service = await startService(t, { env: { ...google.env, ...github.env, ...env } })
  return { google, github, service }
}

/** Makes an identity at the fake provider that the service does not know yet. */
function newPerson(google: Google): string {
  const email = `${randomUUID()}@example.com`
  google.person = { sub: randomUUID(), email, email_verified: true, name: 'Ada Lovelace' }
  return email
}

function newOctocat(github: Github): string {
  const email = `${randomUUID()}@example.com`
  github.user = { id: Math.floor(Math.random() * 1e12) + 1, login: 'octocat', name: 'The Octocat' }
  github.emails = [{ email, primary: true, verified: true }]
  return email
}

async function countOf(service: TestService, table: 'users' | 'sessions' | 'identities'): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(
    service.db,
  )
  return rows[0]?.count ?? 0
}

async function userOf(service: TestService, answer: TestResponse) {
  assert.equal(answer.status, 200, answer.text)
  return (await service.request('GET', '/me', { token: answer.body.accessToken })).body
}

test('a user signs in through a certified OpenID provider and gets the same account the next time', async (t) => {
  const person = { sub: 'a person/1', email: 'Ada@Example.com', email_verified: true, name: ' Ada\n\u202eLovelace ' }
  const callbackUrl = 'http://platen.localhost/v1/api/auth/google/callback'
  const env = await startOpenIdProvider(t, { callbackUrl, person: { ...person, sub: 'person-1' } })
  const service = await startService(t, { env })
  const first = await userOf(service, await newBrowser(service).signIn('google'))
  const { email, emailVerified, name, role } = first
  assert.deepEqual(
    { email, emailVerified, name, role },
    {
      email: 'ada@example.com',
      emailVerified: true,
      name: 'AdaLovelace',
      role: 'customer',
    },
  )
  const second = await userOf(service, await newBrowser(service).signIn('google'))
  assert.equal(second.id, first.id)
})

test('OA-1: a flow uses state, PKCE S256, nonce and minimal scopes, and is tied to the browser', async (t) => {
  const { service } = await startWithProviders(t)
  const parametersSeen = new Set<string>()
  for (const [provider, scope] of [
    ['google', 'openid email profile'],
    ['github', 'read:user user:email'],
  ] as const) {
    for (const base of [service.baseUrl, service.origin]) {
      const { status, headers } = await service.request('GET', `${base}/api/auth/${provider}`)
      assert.equal(status, 302)
      assert.equal(headers.get('cache-control'), 'no-store')
      const asked = new URL(headers.get('location') ?? '').searchParams
      assert.equal(asked.get('response_type'), 'code')
      assert.equal(asked.get('redirect_uri'), `http://platen.localhost/v1/api/auth/${provider}/callback`)
      assert.equal(asked.get('scope'), scope)
      assert.equal(asked.get('code_challenge_method'), 'S256')
      const state = asked.get('state') ?? ''
      const challenge = asked.get('code_challenge') ?? ''
      const nonce = asked.get('nonce')
      assert.match(state, /^[A-Za-z0-9_-]{43}$/)
      assert.match(challenge, /^[A-Za-z0-9_-]{43}$/)
      assert.equal(nonce === null, provider === 'github')
      // The state is public. If it were the verifier, an attacker could redeem the code.
      assert.notEqual(createHash('sha256').update(state).digest('base64url'), challenge)
      const cookies = headers.getSetCookie()
      assert.equal(cookies.length, 1)
      assert.match(
        cookies[0] ?? '',
        /^platen_oauth_[0-9a-f]{16}=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
      )
      const unique = [state, challenge, cookies[0] ?? '', ...(nonce === null ? [] : [nonce])]
      for (const value of unique) assert.ok(!parametersSeen.has(value))
      for (const value of unique) parametersSeen.add(value)
    }
  }
  const { rows } = await sql<{ row: string; sealed: Buffer }>`
    select oauth_flows::text as row, sealed from oauth_flows`.execute(service.db)
  assert.equal(rows.length, 4)
  for (const { row, sealed } of rows) {
    for (const value of parametersSeen) assert.ok(!row.includes(value.split(/[=;]/)[1] ?? value))
    assert.doesNotMatch(sealed.toString('latin1'), /[\w-]{43}/, 'verifier and nonce can be read')
  }
})

test('OA-1: over HTTPS, only this host can set the cookie of a flow', async (t) => {
  const { service } = await startWithProviders(t, { PLATEN_PUBLIC_URL: 'https://platen.localhost' })
  const { headers } = await service.request('GET', '/api/auth/github')
  assert.match(headers.get('set-cookie') ?? '', /^__Host-platen_oauth_\w+=[\w-]{43}; Path=\/; .*; Secure$/)
})

test('only scripts on pages of other sites get the cookie of a flow with SameSite=None', async (t) => {
  const { service } = await startWithProviders(t, { PLATEN_PUBLIC_URL: 'https://platen.localhost' })
  const { accessToken: token } = await service.signUp()
  const sameSiteIn = (cookie = '') => /SameSite=\w+/.exec(cookie)?.[0]
  // `fetch` of Node.js sends `sec-fetch-mode: cors`.
  for (const [site, expected] of [['cross-site', 'None'] as const, ['same-site', 'Lax'] as const]) {
    const headers = { 'sec-fetch-site': site }
    const answer = await service.request('POST', '/api/auth/identities/github/link', { token, headers })
    assert.equal(sameSiteIn(answer.headers.getSetCookie()[0]), `SameSite=${expected}`, answer.text)
  }
  // A page of any site can send this request.
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }
  const start = await service.request('GET', '/api/auth/github', { headers })
  assert.equal(sameSiteIn(start.headers.getSetCookie()[0]), 'SameSite=Lax')
})

test('OA-2: a flow ends once, in its browser, at its provider, before it expires', async (t) => {
  const { google, service } = await startWithProviders(t)
  newPerson(google)
  const refused = async (answer: TestResponse) => {
    assert.equal(answer.status, 400, answer.text)
    assert.equal(answer.body.code, 'invalid_state')
  }
  const browser = newBrowser(service)
  const started = await browser.open('/api/auth/google')
  const callback = await browser.visit(started.headers.get('location') ?? '')
  const { searchParams, search } = new URL(callback)
  const state = searchParams.get('state') ?? ''
  const other = newBrowser(service)
  await other.open('/api/auth/google')

  await refused(await browser.open('/api/auth/google/callback'))
  await refused(await browser.open(`/api/auth/google/callback?code=${searchParams.get('code')}`))
  await refused(
    await browser.returnTo(callback.replace(state, `${state.slice(0, -1)}${state.endsWith('A') ? 'B' : 'A'}`)),
  )
  await refused(await newBrowser(service).returnTo(callback))
  await refused(await other.returnTo(callback))
  // Each cookie gets the expected name with the value of another flow.
  for (const name of browser.cookies.keys()) other.cookies.set(name, [...other.cookies.values()][0] ?? '')
  await refused(await other.returnTo(callback))
  await refused(await browser.open(`/api/auth/github/callback${search}`))
  assert.equal((await browser.open(`/api/auth/google/callback${search}&state=${state}`)).status, 400)
  assert.equal(await countOf(service, 'sessions'), 0)
  assert.ok(!google.requests.includes('POST /token'), 'the provider was asked about a flow that is not known')

  const { cookies } = browser
  const kept = new Map(cookies)
  assert.equal((await browser.returnTo(callback)).status, 200)
  assert.equal(cookies.size, 1, 'the cookie of the flow is removed, that of the device is there')
  for (const [name, value] of kept) cookies.set(name, value)
  await refused(await browser.returnTo(callback))

  const late = await browser.open('/api/auth/google')
  const lateCallback = await browser.visit(late.headers.get('location') ?? '')
  service.clock.shift(601)
  await refused(await browser.returnTo(lateCallback))
  assert.equal(await countOf(service, 'sessions'), 1)
})

test('OA-2: of concurrent callbacks of one flow, one signs in', async (t) => {
  const { google, service } = await startWithProviders(t)
  newPerson(google)
  const browser = newBrowser(service)
  const started = await browser.open('/api/auth/google')
  const callback = await browser.visit(started.headers.get('location') ?? '')
  const answers = service.db.transaction().execute(async (trx) => {
    await sql`select from oauth_flows for update`.execute(trx)
    const sent = Array.from({ length: 4 }, () => browser.returnTo(callback))
    await service.untilBlocked(4)
    return sent
  })
  const statuses = (await Promise.all(await answers)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 400, 400, 400])
})

test('two tabs of one browser can sign in at once', async (t) => {
  const { google, github, service } = await startWithProviders(t)
  newPerson(google)
  newOctocat(github)
  const browser = newBrowser(service)
  const first = await browser.open('/api/auth/google')
  const second = await browser.open('/api/auth/github')
  const third = await browser.open('/api/auth/google')
  for (const { headers } of [second, first, third]) {
    assert.equal((await browser.returnTo(await browser.visit(headers.get('location') ?? ''))).status, 200)
  }
})

test('OA-3: the browser is redirected only to URLs that match the list exactly', async (t) => {
  const allowed = 'https://app.example.com/done?from=platen'
  const { google, service } = await startWithProviders(t, { PLATEN_REDIRECT_URIS: `${allowed},com.example.app:/done` })
  newPerson(google)
  const evil = [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    '/%0d%0aLocation:https://evil.example',
    'https://app.example.com@evil.example/done?from=platen',
    'https://app.example.com.evil.example/done?from=platen',
    `${allowed}&more=1`,
    `${allowed}#here`,
    `${allowed}/../x`,
    'https://app.example.com/done',
    'https://APP.example.com/done?from=platen',
    'http://app.example.com/done?from=platen',
    '',
  ]
  for (const target of evil) {
    for (const parameter of ['redirectUri', 'return_to', 'redirect_uri', 'next']) {
      const answer = await service.request('GET', `/api/auth/google?${new URLSearchParams({ [parameter]: target })}`)
      assert.equal(answer.status, 400, `${parameter}=${target}`)
      assert.equal(answer.headers.get('location'), null)
      if (target !== '') assert.ok(!answer.text.includes(target))
    }
  }
  // Callbacks accept such parameters, because providers add their own.
  const browser = newBrowser(service)
  const started = await browser.open(
    `/api/auth/google?${new URLSearchParams({ redirectUri: allowed, state: 'a&b=c %' })}`,
  )
  const callback = await browser.visit(started.headers.get('location') ?? '')
  const back = await browser.returnTo(`${callback}&redirectUri=https://evil.example&return_to=//evil.example`)
  assert.equal(back.status, 302)
  const location = back.headers.get('location') ?? ''
  assert.ok(location.startsWith(`${allowed}&code=`), location)
  assert.equal(new URL(location).searchParams.get('state'), 'a&b=c %')

  const app = await newBrowser(service).signIn('google', { redirectUri: 'com.example.app:/done' })
  assert.match(app.headers.get('location') ?? '', /^com\.example\.app:\/done\?code=[\w-]{43}$/)
  for (const query of [
    { state: 'x'.repeat(513) },
    { state: 'a\u0000b' },
    { codeChallenge: 'short' },
    { codeChallenge: '='.repeat(43) },
  ]) {
    const answer = await service.request('GET', `/api/auth/google?${new URLSearchParams(query)}`)
    assert.equal(answer.body.code, 'validation_failed')
  }
})

test('OA-4: only an ID token that Google signed for this flow is accepted', async (t) => {
  const { google, service } = await startWithProviders(t)
  const seconds = Math.floor(Date.now() / 1000)
  const without = (name: string) => (claims: Claims) => ({ ...claims, [name]: undefined })
  const bad: [string, Signing, (claims: Claims) => Claims][] = [
    ['another key', 'foreign', (claims) => claims],
    ['a shared secret', 'shared', (claims) => claims],
    ['no signature', 'none', (claims) => claims],
    ['another audience', 'right', (claims) => ({ ...claims, aud: 'somebody-else' })],
    ['one more audience', 'right', (claims) => ({ ...claims, aud: [claims['aud'], 'somebody-else'] })],
    ['no audience', 'right', without('aud')],
    ['another party', 'right', (claims) => ({ ...claims, azp: 'somebody-else' })],
    ['another issuer', 'right', (claims) => ({ ...claims, iss: 'https://accounts.google.com' })],
    ['no issuer', 'right', without('iss')],
    ['expired, by more than clocks differ', 'right', (claims) => ({ ...claims, exp: seconds - 10 })],
    ['no expiry', 'right', without('exp')],
    ['another nonce', 'right', (claims) => ({ ...claims, nonce: 'A'.repeat(43) })],
    ['no nonce', 'right', without('nonce')],
  ]
  for (const [name, signing, alter] of bad) {
    google.signing = signing
    google.alter = alter
    newPerson(google)
    const answer = await newBrowser(service).signIn('google')
    assert.equal(answer.status, 401, `${name}: ${answer.text}`)
    assert.equal(answer.body.code, 'provider_answer_invalid')
    assert.ok(answer.headers.get('www-authenticate')?.startsWith('Bearer'))
  }
  assert.equal(await countOf(service, 'users'), 0)
  google.signing = 'right'
  google.alter = (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 1 })
  assert.equal((await newBrowser(service).signIn('google')).status, 200, 'clocks may differ')
  google.alter = (claims) => claims
  assert.equal((await newBrowser(service).signIn('google')).status, 200)

  // The ID token of an earlier flow.
  const earlier = google.lastIdToken
  google.alter = () => JSON.parse(Buffer.from(earlier.split('.')[1] ?? '', 'base64url').toString())
  assert.equal((await newBrowser(service).signIn('google')).status, 401)
})

test('OA-5: the subject identifies an account, never the email', async (t) => {
  const { google, github, service } = await startWithProviders(t)
  newPerson(google)
  const ada = await userOf(service, await newBrowser(service).signIn('google'))
  google.person = { ...google.person, email: 'renamed@example.com', name: 'Ada King' }
  assert.equal((await userOf(service, await newBrowser(service).signIn('google'))).id, ada.id)
  google.person = { ...google.person, email: undefined, email_verified: undefined }
  assert.equal((await userOf(service, await newBrowser(service).signIn('google'))).id, ada.id)

  // Another Google user now has Ada's email address, and a GitHub user has Ada's subject.
  google.person = { sub: `${ada.id} `.trim(), email: ada.email, email_verified: true }
  assert.equal((await newBrowser(service).signIn('google')).body.code, 'account_exists')
  newOctocat(github)
  const octocat = await userOf(service, await newBrowser(service).signIn('github'))
  github.user = { ...github.user, login: 'renamed', name: null }
  github.emails = []
  assert.equal((await userOf(service, await newBrowser(service).signIn('github'))).id, octocat.id)
  google.person = { ...NOBODY, sub: String(github.user['id']) }
  assert.notEqual((await userOf(service, await newBrowser(service).signIn('google'))).id, octocat.id)

  const users = await countOf(service, 'users')
  for (const id of [null, undefined, '', 0, -1, 1.5, 1e300, '1', 'null', true, {}, [5]]) {
    newOctocat(github)
    github.user = { ...github.user, id }
    const answer = await newBrowser(service).signIn('github')
    assert.equal(answer.body.code, 'provider_answer_invalid', `GitHub id ${JSON.stringify(id)}`)
  }
  for (const sub of [null, undefined, '', ' ', 'a\u0000b', 'ü', 'x'.repeat(256), true, {}, ['5']]) {
    newPerson(google)
    google.person = { ...google.person, sub }
    const answer = await newBrowser(service).signIn('google')
    assert.equal(answer.body.code, 'provider_answer_invalid', `sub ${JSON.stringify(sub)}`)
  }
  assert.equal(await countOf(service, 'users'), users)
})

test('OA-6: an email that the provider has not verified signs in, creates and verifies nothing', async (t) => {
  const { google, github, service } = await startWithProviders(t)
  const verified = await service.signUp()
  const waiting = `${randomUUID()}@example.com`
  await service.request('POST', '/api/auth/register', { body: { email: waiting, password: `quiet ${randomUUID()}` } })
  const users = await countOf(service, 'users')
  const refused = async (provider: string, what: unknown) => {
    const answer = await newBrowser(service).signIn(provider)
    assert.equal(answer.status, 403, `${JSON.stringify(what)}: ${answer.text}`)
    assert.equal(answer.body.code, 'provider_email_unverified')
  }
  for (const email of [verified.email, waiting, 'new@example.com']) {
    for (const email_verified of [false, 'true', 'false', 1, null, undefined]) {
      google.person = { sub: randomUUID(), email, email_verified }
      await refused('google', google.person)
    }
    const unusable = [
      [{ email, primary: true, verified: false }],
      [{ email, primary: true, verified: 'true' }],
      [{ email, primary: true }],
      [{ email, primary: false, verified: true }],
      [
        { email, primary: false, verified: true },
        { email: 'other@example.com', primary: true, verified: false },
      ],
      [{ email: [email], primary: true, verified: true }],
      [null, 7, 'text'],
      [],
    ]
    for (const emails of unusable) {
      newOctocat(github)
      // Users can set the email address of a profile to any text.
      github.user = { ...github.user, email }
      github.emails = emails
      await refused('github', emails)
    }
  }
  for (const email of ['two@example.com,three@example.com', 'a\r\n@example.com', 'a＠example.com', '', {}, undefined]) {
    google.person = { sub: randomUUID(), email, email_verified: true }
    await refused('google', email)
  }
  assert.equal(await countOf(service, 'users'), users)
  assert.equal(await countOf(service, 'identities'), 0)
  const { rows } = await sql<{ verified: boolean }>`
    select email_verified_at is not null as verified from users where email = ${waiting}`.execute(service.db)
  assert.deepEqual(rows, [{ verified: false }])
})

test('OA-7, LG-1, LG-3: the registrant of an unowned email loses everything when its owner signs in', async (t) => {
  const { google, service } = await startWithProviders(t)
  const victim = newPerson(google)
  const attacker = await service.signUp({ email: victim })
  const token = attacker.accessToken
  await service.request('PATCH', '/me', { token, body: { name: 'Mallory' } })
  const made = await service.request('POST', '/api/api-keys', { token, body: { name: 'later', permissions: ['read'] } })
  assert.equal(made.status, 201)
  const { userId } = attacker
  await service.request('POST', '/api/auth/password/forgot', { body: { email: victim } })
  await sql`insert into mfa_factors (id, user_id, method, phone_number, created_at, confirmed_at, pending_until)
    values ('fac_1', ${userId}, 'sms', '+491701234567', now(), now(), now())`.execute(service.db)
  await sql`insert into recovery_codes (user_id, code_hash) values (${userId}, 'a hash')`.execute(service.db)
  await sql`insert into email_tokens (user_id, purpose, token_hash, new_email, expires_at)
    values (${userId}, 'change_email', 'a hash', 'mallory@example.com', now() + interval '1 hour')`.execute(service.db)
  await sql`insert into passkeys (id, user_id, credential_id, public_key, counter, transports, device_type, backed_up, name,
    created_at) values ('psk_1', ${userId}, 'an id', 'a key', 0, '{}', 'singleDevice', false, 'Mallory', now())`.execute(
    service.db,
  )
  await sql`insert into identities (provider, subject, user_id, created_at)
    values ('github', '666', ${userId}, now())`.execute(service.db)
  // All of this was added before the email address was verified.
  await sql`update users set email_verified_at = null, mfa_methods = '{sms}' where id = ${userId}`.execute(service.db)

  const result = await newBrowser(service).signIn('google')
  const owner = await userOf(service, result)
  assert.deepEqual([owner.email, owner.emailVerified, owner.name], [victim, true, 'Ada Lovelace'])

  assert.equal((await service.request('GET', '/me', { token })).status, 401)
  assert.equal((await service.request('GET', '/designs', { token: made.body.key })).status, 401)
  const refresh = { body: { refreshToken: attacker.refreshToken } }
  assert.equal((await service.request('POST', '/api/auth/refresh', refresh)).status, 401)
  const { email, password } = attacker
  const login = await service.request('POST', '/api/auth/login', { body: { email, password } })
  assert.equal(login.body.code, 'invalid_credentials')
  for (const table of ['mfa_factors', 'recovery_codes', 'passkeys', 'email_tokens']) {
    const { rows } = await sql`select from ${sql.table(table)} where user_id = ${userId}`.execute(service.db)
    assert.equal(rows.length, 0, table)
  }
  const { rows } = await sql<{ provider: string }>`select provider from identities`.execute(service.db)
  assert.deepEqual(rows, [{ provider: 'google' }])
  const events = await sql<{ type: string }>`
    select type from security_events where user_id = ${userId} and method = 'google' order by id`.execute(service.db)
  assert.deepEqual(
    events.rows.map(({ type }) => type),
    ['account_emptied', 'email_verified', 'identity_linked', 'sign_in'],
  )
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  assert.equal(
    outbox.body.filter((mail: { subject: string }) => mail.subject === 'An earlier registration was removed').length,
    1,
  )
})

test('OA-7: a matching email address alone never links a provider to a verified account', async (t) => {
  const { google, service } = await startWithProviders(t)
  const email = newPerson(google)
  const { userId, accessToken } = await service.signUp({ email })
  const answer = await newBrowser(service).signIn('google')
  assert.equal(answer.status, 409)
  assert.equal(answer.body.code, 'account_exists')
  assert.match(answer.body.detail, /Sign in first, then link/)
  assert.equal(await countOf(service, 'identities'), 0)
  assert.equal((await service.request('GET', '/me', { token: accessToken })).status, 200)
  const { rows } = await sql<{ type: string }>`
    select type from security_events where user_id = ${userId} and method = 'google'`.execute(service.db)
  assert.deepEqual(rows, [{ type: 'sign_in_failed' }])
})

test('OA-5: two concurrent first sign-ins of one identity create one account', async (t) => {
  const { google, service } = await startWithProviders(t)
  const email = newPerson(google)
  const browsers = [newBrowser(service), newBrowser(service)]
  const sent = await service.db.transaction().execute(async (trx) => {
    // The insert, which is not committed, blocks both sign-ins, one of them on this email address.
    await sql`insert into users (id, email, role, created_at, updated_at)
      values ('usr_other', ${email}, 'customer', now(), now())`.execute(trx)
    const answers = browsers.map((browser) => browser.signIn('google'))
    await service.untilBlocked(2)
    await sql`delete from users where id = 'usr_other'`.execute(trx)
    return answers
  })
  const [first, second] = await Promise.all(sent)
  assert.ok(first !== undefined && second !== undefined)
  assert.equal((await userOf(service, first)).id, (await userOf(service, second)).id)
  assert.equal(await countOf(service, 'users'), 1)
})

test('MF-3: a sign-in through Google or GitHub requires the second factor, too', async (t) => {
  const redirectUri = 'https://app.example.com/done'
  const { google, github, service } = await startWithProviders(t, { PLATEN_REDIRECT_URIS: redirectUri })
  newPerson(google)
  newOctocat(github)
  for (const provider of ['google', 'github']) {
    const { id } = await userOf(service, await newBrowser(service).signIn(provider))
    await sql`update users set mfa_methods = '{totp}' where id = ${id}`.execute(service.db)
    const direct = await newBrowser(service).signIn(provider)
    const redirected = await newBrowser(service).signIn(provider, { redirectUri })
    const code = new URL(redirected.headers.get('location') ?? '').searchParams.get('code')
    const redeemed = await service.request('POST', '/api/auth/token', { body: { code } })
    for (const { status, body } of [direct, redeemed]) {
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body).sort(), ['expiresIn', 'methods', 'mfaToken', 'status'])
      assert.deepEqual([body.status, body.methods], ['mfa_required', ['totp']])
    }
    const { rows } = await sql`select from sessions where user_id = ${id}`.execute(service.db)
    assert.equal(rows.length, 1)
  }
})

test('EN-2: accounts without a password or disabled respond as to a wrong password', async (t) => {
  const redirectUri = 'https://app.example.com/done'
  const { google, service } = await startWithProviders(t, { PLATEN_REDIRECT_URIS: redirectUri })
  const email = newPerson(google)
  const { id } = await userOf(service, await newBrowser(service).signIn('google'))
  const login = (body: object) => service.request('POST', '/api/auth/login', { body })
  const shown = ({ status, body, headers }: TestResponse) => {
    const { requestId, ...visible } = body
    return { status, visible, names: [...headers.keys()], challenge: headers.get('www-authenticate') }
  }
  const unknown = await login({ email: `${randomUUID()}@example.com`, password: 'a password' })
  assert.deepEqual(shown(await login({ email, password: 'a password' })), shown(unknown))

  const inFlight = await newBrowser(service).signIn('google', { redirectUri })
  const code = new URL(inFlight.headers.get('location') ?? '').searchParams.get('code')
  await sql`update users set disabled_at = now() where id = ${id}`.execute(service.db)
  assert.equal((await service.request('POST', '/api/auth/token', { body: { code } })).body.code, 'invalid_credentials')
  const direct = await newBrowser(service).signIn('google')
  assert.deepEqual([direct.status, direct.body.code], [401, 'invalid_credentials'])
  // The account was disabled before its email address was verified. A sign-in with a provider must not enable it.
  const other = newPerson(google)
  await service.request('POST', '/api/auth/register', { body: { email: other, password: `quiet ${randomUUID()}` } })
  await sql`update users set disabled_at = now() where email = ${other}`.execute(service.db)
  const refused = await newBrowser(service).signIn('google', { redirectUri })
  assert.equal(refused.headers.get('location'), `${redirectUri}?error=invalid_credentials`)
  const { rows } = await sql<{ verified: boolean }>`
    select email_verified_at is not null as verified from users where email = ${other}`.execute(service.db)
  assert.deepEqual(rows, [{ verified: false }])
  assert.equal(await countOf(service, 'sessions'), 1)
})
