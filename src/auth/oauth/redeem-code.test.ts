import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newBrowser } from '../../../test/fakes/sign-in/browser.ts'
import { startGithub } from '../../../test/fakes/sign-in/github.ts'
import { startGoogle } from '../../../test/fakes/sign-in/google.ts'
import { createDatabase, startService, type TestResponse, type TestService } from '../../../test/harness.ts'

const redirectUri = 'https://app.example.com/done'

async function startWithGoogle(t: Parameters<typeof startService>[0]) {
  const google = await startGoogle(t)
  const service = await startService(t, { env: { ...google.env, PLATEN_REDIRECT_URIS: redirectUri } })
  const redeem = (body: object): Promise<TestResponse> => service.request('POST', '/api/auth/token', { body })
  return { google, service, redeem }
}

async function newCode(service: TestService, query: Record<string, string> = {}): Promise<string> {
  const { headers } = await newBrowser(service).signIn('google', { redirectUri, ...query })
  return new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
}

function newChallenge() {
  const codeVerifier = randomBytes(32).toString('base64url')
  return { codeVerifier, codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url') }
}

const isInvalidGrant = ({ status, body }: TestResponse): boolean => status === 400 && body.code === 'invalid_grant'

test('OA-9: the redirect to the client carries a code for one use within a minute, and nothing else', async (t) => {
  const { service, redeem } = await startWithGoogle(t)
  const back = await newBrowser(service).signIn('google', { redirectUri, state: 'of the client' })
  assert.equal(back.status, 302)
  assert.equal(back.text, '')
  assert.match(
    back.headers.get('location') ?? '',
    /^https:\/\/app\.example\.com\/done\?code=[\w-]{43}&state=of\+the\+client$/,
  )
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const { rows } = await sql<{ row: string }>`select oauth_codes::text as row from oauth_codes`.execute(service.db)
  assert.ok(!rows[0]?.row.includes(code))
  const { rows: sessions } = await sql`select from sessions`.execute(service.db)
  assert.equal(sessions.length, 0, 'nobody is signed in before the code is redeemed')

  const redeemed = await redeem({ code })
  assert.equal(redeemed.status, 200)
  assert.equal(redeemed.headers.get('cache-control'), 'no-store')
  const { accessToken, refreshToken, ...rest } = redeemed.body
  assert.deepEqual(rest, { status: 'authenticated', tokenType: 'Bearer', expiresIn: 900 })
  const { amr } = JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString())
  assert.deepEqual(amr, ['fed'])
  assert.ok(isInvalidGrant(await redeem({ code })))
  assert.equal((await service.request('GET', '/me', { token: accessToken })).status, 200, 'the session goes on')
  assert.equal((await service.request('POST', '/api/auth/refresh', { body: { refreshToken } })).status, 200)

  const late = await newCode(service)
  service.clock.shift(61)
  assert.ok(isInvalidGrant(await redeem({ code: late })))
  for (const bad of ['x', code.slice(1), `${code}x`, 'é']) assert.ok(isInvalidGrant(await redeem({ code: bad })), bad)
  for (const body of [{}, { code: '' }, { code: 7 }, { code: ['x'] }, { code, grant_type: 'authorization_code' }]) {
    assert.equal((await redeem(body)).body.code, 'validation_failed')
  }
})

test('OA-9: of parallel redemptions of one code, one gets tokens', async (t) => {
  const { service, redeem } = await startWithGoogle(t)
  const code = await newCode(service)
  const sent = await service.db.transaction().execute(async (trx) => {
    await sql`select from users for update`.execute(trx)
    const answers = Array.from({ length: 4 }, () => redeem({ code }))
    await service.untilBlocked(4)
    return answers
  })
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 400, 400, 400])
})

test('OA-9: a code with a challenge can be redeemed only with its verifier', async (t) => {
  const { service, redeem } = await startWithGoogle(t)
  const { codeVerifier, codeChallenge } = newChallenge()
  const code = await newCode(service, { codeChallenge })
  for (const wrong of [{}, { codeVerifier: newChallenge().codeVerifier }, { codeVerifier: codeChallenge }]) {
    assert.ok(isInvalidGrant(await redeem({ code, ...wrong })))
  }
  assert.equal((await redeem({ code, codeVerifier })).status, 200)
  // The client sent a challenge, but an attacker removed it when the flow began.
  assert.ok(isInvalidGrant(await redeem({ code: await newCode(service), codeVerifier })))
})

test('OA-9: a code cannot be redeemed after its account or identity lost access', async (t) => {
  const { google, service, redeem } = await startWithGoogle(t)
  const { email } = await service.signUp()
  google.person = { ...google.person, email: `${randomUUID()}@example.com` }
  const own = await redeem({ code: await newCode(service) })
  const code = await newCode(service)
  // The account gets a password, so that Google is not its last sign-in method.
  await sql`update users set password_hash = (select password_hash from users where email = ${email})`.execute(
    service.db,
  )
  const { accessToken: token } = own.body
  assert.equal((await service.request('DELETE', '/api/auth/identities/google', { token })).status, 204)
  assert.ok(isInvalidGrant(await redeem({ code })))
})

test('SE-4, OA-9: ending the sessions of an account invalidates its unredeemed codes', async (t) => {
  const { service, redeem } = await startWithGoogle(t)
  const first = await redeem({ code: await newCode(service) })
  const waiting = await newCode(service)
  const { accessToken: token } = first.body
  const ended = await service.request('POST', '/api/auth/sessions/revoke-others', { token })
  assert.equal(ended.status, 204)
  assert.ok(isInvalidGrant(await redeem({ code: waiting })))
})

test('TK-4: neither a code nor a token of the provider works as a bearer token', async (t) => {
  const { google, service } = await startWithGoogle(t)
  const code = await newCode(service)
  for (const token of [code, google.lastIdToken]) {
    assert.notEqual(token, '')
    assert.equal((await service.request('GET', '/me', { token })).status, 401)
    const refreshed = await service.request('POST', '/api/auth/refresh', { body: { refreshToken: token } })
    assert.equal(refreshed.status, 401)
  }
  const { body } = await service.request('POST', '/api/auth/token', { body: { code } })
  for (const token of [body.accessToken, body.refreshToken, google.lastIdToken]) {
    const answer = await service.request('POST', '/api/auth/token', { body: { code: token.slice(0, 200) } })
    assert.equal(answer.status, 400)
  }
})

test('OA-9, OA-3, LG-1: an error reaches the client as our code, is recorded, and repeats no text of the provider', async (t) => {
  const { google, service } = await startWithGoogle(t)
  const refusal = async (change: (callback: URL) => void): Promise<string> => {
    const browser = newBrowser(service)
    const started = await browser.open(`/api/auth/google?${new URLSearchParams({ redirectUri, state: 'mine' })}`)
    const callback = new URL(await browser.visit(started.headers.get('location') ?? ''))
    change(callback)
    const answer = await browser.returnTo(callback.href)
    assert.equal(answer.status, 302)
    return answer.headers.get('location') ?? ''
  }
  const withError = (error: string) => (callback: URL) => {
    callback.searchParams.delete('code')
    callback.searchParams.set('error', error)
    callback.searchParams.set('error_description', 'words of the provider')
  }
  assert.equal(await refusal(withError('access_denied')), `${redirectUri}?error=access_denied&state=mine`)
  assert.equal(await refusal(withError('<script>')), `${redirectUri}?error=provider_answer_invalid&state=mine`)
  const noCode = (callback: URL) => callback.searchParams.delete('code')
  assert.equal(await refusal(noCode), `${redirectUri}?error=provider_answer_invalid&state=mine`)
  const otherIssuer = (callback: URL) => callback.searchParams.set('iss', 'https://evil.example')
  assert.equal(await refusal(otherIssuer), `${redirectUri}?error=provider_answer_invalid&state=mine`)
  const unchanged = () => undefined
  google.person = { ...google.person, email_verified: false }
  assert.equal(await refusal(unchanged), `${redirectUri}?error=provider_email_unverified&state=mine`)
  google.person = { ...google.person, email: (await service.signUp()).email, email_verified: true }
  assert.equal(await refusal(unchanged), `${redirectUri}?error=account_exists&state=mine`)
  google.faults.set('/token', 'down')
  assert.equal(await refusal(unchanged), `${redirectUri}?error=provider_unavailable&state=mine`)

  const { rows } = await sql<{ code: string; known: boolean }>`
    select details->>'code' as code, user_id is not null as known from security_events
    where type = 'sign_in_failed' and result = 'failure' and method = 'google' order by id`.execute(service.db)
  assert.deepEqual(rows, [
    { code: 'access_denied', known: false },
    { code: 'provider_answer_invalid', known: false },
    { code: 'provider_answer_invalid', known: false },
    { code: 'provider_answer_invalid', known: false },
    { code: 'provider_email_unverified', known: false },
    { code: 'account_exists', known: true },
  ])

  const browser = newBrowser(service)
  const started = await browser.open('/api/auth/google')
  const callback = new URL(await browser.visit(started.headers.get('location') ?? ''))
  withError('access_denied')(callback)
  const direct = await browser.returnTo(callback.href)
  assert.deepEqual([direct.status, direct.body.code], [403, 'access_denied'])
})

test('OA-9: start and callback reject a provider that is not configured', async (t) => {
  const google = await startGoogle(t)
  const github = await startGithub(t)
  const database = await createDatabase(t)
  const before = await startService(t, { database, env: { ...google.env, ...github.env } })
  const browser = newBrowser(before)
  const started = await browser.open('/api/auth/google')
  const callback = new URL(await browser.visit(started.headers.get('location') ?? ''))

  // The flow continues after the provider was disabled.
  const service = await startService(t, { env: github.env, dataDir: before.config.dataDir, database })
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const { accessToken: token } = await service.signUp()
  for (const [method, path] of [
    ['GET', '/api/auth/google'],
    ['GET', '/api/auth/google/callback'],
    ['GET', `/api/auth/google/callback${callback.search}`],
    ['POST', '/api/auth/identities/google/link'],
    ['POST', '/api/auth/identities/facebook/link'],
  ] as const) {
    const answer = await service.request(method, path, { headers: { cookie }, token })
    assert.deepEqual([answer.status, answer.body.code], [404, 'provider_not_configured'], path)
  }
  assert.equal((await service.request('GET', '/api/auth/facebook')).status, 404)
  assert.equal((await service.request('GET', '/api/auth/github')).status, 302)
  assert.ok(!google.requests.includes('POST /token'))
})

test('a HEAD request of a link consumes nothing', async (t) => {
  const { service } = await startWithGoogle(t)
  const browser = newBrowser(service)
  const started = await browser.open('/api/auth/google')
  const callback = new URL(await browser.visit(started.headers.get('location') ?? ''))
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const looked = await service.request('HEAD', `/api/auth/google/callback${callback.search}`, { headers: { cookie } })
  assert.equal(looked.status, 405)
  assert.equal((await browser.returnTo(callback.href)).status, 200)
})

test('pruning removes expired flows and codes only', async (t) => {
  const { service } = await startWithGoogle(t)
  const left = async () => {
    const { rows } = await sql`select from oauth_flows union all select from oauth_codes`.execute(service.db)
    return rows.length
  }
  await newCode(service)
  await service.request('GET', '/api/auth/google')
  const prune = service.services.auth.jobs.find(({ name }) => name === 'auth.prune')
  const run = () => prune?.handle({})
  await run()
  assert.equal(await left(), 2)
  service.clock.shift(601)
  await run()
  assert.equal(await left(), 0)
})
