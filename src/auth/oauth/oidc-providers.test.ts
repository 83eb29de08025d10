import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { type Browser, newBrowser } from '../../../test/fakes/sign-in/browser.ts'
import { type Google, startGoogle, startOpenIdProvider } from '../../../test/fakes/sign-in/google.ts'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import { PROVIDER_NAME } from './providers/oidc/settings.ts'

/** Starts a service with Google and two further OpenID providers. */
async function start(t: TestContext) {
  const google = await startGoogle(t)
  const keycloak = await startGoogle(t, 'PLATEN_OIDC_KEYCLOAK')
  const okta = await startGoogle(t, 'PLATEN_OIDC_MY_OKTA')
  const names = { PLATEN_OIDC_PROVIDERS: 'keycloak, my-okta', PLATEN_OIDC_KEYCLOAK_TITLE: 'Printing Works' }
  const service = await startService(t, { env: { ...google.env, ...keycloak.env, ...okta.env, ...names } })
  return { google, keycloak, okta, service }
}

/** Makes an identity that neither the service nor the provider knows yet. */
function newPerson(...providers: Google[]): string {
  const email = `${randomUUID()}@example.com`
  for (const provider of providers) {
    provider.person = { sub: randomUUID(), email, email_verified: true, name: 'Ada Lovelace' }
  }
  return email
}

async function userOf(service: TestService, { status, text, body }: TestResponse) {
  assert.equal(status, 200, text)
  return (await service.request('GET', '/me', { token: body.accessToken })).body
}

/** Begins to link or to step up and visits the provider, without opening the callback. */
async function visitFor(browser: Browser, path: 'link' | 'step-up', provider: string, token: string) {
  const begun = await browser.post(`/api/auth/identities/${provider}/${path}`, token)
  assert.equal(begun.status, 200, begun.text)
  return browser.visit(begun.body.authorizationUrl)
}

async function link(service: TestService, provider: string, token: string): Promise<TestResponse> {
  const browser = newBrowser(service)
  return browser.returnTo(await visitFor(browser, 'link', provider, token))
}

/** Starts a sign-in and visits the provider, without opening the callback. */
async function visit(browser: Browser, provider: string): Promise<URL> {
  const started = await browser.open(`/api/auth/${provider}`)
  assert.equal(started.status, 302, started.text)
  return new URL(await browser.visit(started.headers.get('location') ?? ''))
}

async function providersOf(service: TestService): Promise<string[]> {
  const { rows } = await sql<{ provider: string }>`select provider from identities order by provider`.execute(
    service.db,
  )
  return rows.map(({ provider }) => provider)
}

test('OA-1, OA-5: a user signs in with a provider from the settings and gets the same account later', async (t) => {
  const { keycloak, service } = await start(t)
  const email = newPerson(keycloak)
  const { headers } = await service.request('GET', '/api/auth/my-okta')
  const asked = new URL(headers.get('location') ?? '').searchParams
  assert.equal(asked.get('redirect_uri'), 'http://platen.localhost/v1/api/auth/my-okta/callback')
  assert.deepEqual([asked.get('scope'), asked.get('code_challenge_method')], ['openid email profile', 'S256'])
  assert.match(asked.get('nonce') ?? '', /^[\w-]{43}$/)

  const first = await userOf(service, await newBrowser(service).signIn('keycloak'))
  assert.deepEqual([first.email, first.emailVerified], [email, true])
  keycloak.person = { ...keycloak.person, email: 'renamed@example.com' }
  const again = await newBrowser(service).signIn('keycloak')
  assert.equal((await userOf(service, again)).id, first.id)
  const exported = await service.request('GET', '/me/export', { token: again.body.accessToken })
  assert.deepEqual(
    exported.body.identities.map(({ provider, label }: Record<string, unknown>) => [provider, label]),
    [['keycloak', 'renamed@example.com']],
  )
})

test('OA-5: a user signs in with a certified provider that supports HTTP Basic and UserInfo only', async (t) => {
  const person = { sub: 'person-1', email: 'Ada@Example.com', email_verified: true, name: 'Ada Lovelace' }
  const callbackUrl = 'http://platen.localhost/v1/api/auth/plain/callback'
  const env = await startOpenIdProvider(t, { callbackUrl, person, prefix: 'PLATEN_OIDC_PLAIN', isPlain: true })
  const service = await startService(t, { env: { ...env, PLATEN_OIDC_PROVIDERS: 'plain' } })
  const { email, name } = await userOf(service, await newBrowser(service).signIn('plain'))
  assert.deepEqual([email, name], ['ada@example.com', 'Ada Lovelace'])
})

test('OA-4, OA-5: UserInfo of another subject, or without a verified email address, signs no user in', async (t) => {
  const { keycloak, service } = await start(t)
  const email = newPerson(keycloak)
  const { sub } = keycloak.person
  keycloak.alter = (claims) => ({ ...claims, email: undefined, email_verified: undefined })
  for (const [userInfo, code] of [
    [{ sub: 'another', email, email_verified: true }, 'provider_answer_invalid'],
    [{ email, email_verified: true }, 'provider_answer_invalid'],
    [{ sub, email, email_verified: 'true' }, 'provider_email_unverified'],
    [{ sub }, 'provider_email_unverified'],
  ] as const) {
    keycloak.userInfo = userInfo
    assert.equal((await newBrowser(service).signIn('keycloak')).body.code, code, JSON.stringify(userInfo))
  }
  // The email address in the ID token must not be verified by what UserInfo states about another email address.
  keycloak.alter = (claims) => ({ ...claims, email_verified: undefined })
  keycloak.userInfo = { sub, email: 'other@example.com', email_verified: true }
  assert.equal((await newBrowser(service).signIn('keycloak')).body.code, 'provider_email_unverified')
  assert.deepEqual(await providersOf(service), [])
  keycloak.alter = (claims) => ({ ...claims, email: undefined })
  keycloak.userInfo = { sub, email, email_verified: true }
  assert.equal((await userOf(service, await newBrowser(service).signIn('keycloak'))).email, email)
})

test('OA-5, OA-7: the same subject at two providers is two accounts, even with one email address', async (t) => {
  const { google, keycloak, okta, service } = await start(t)
  newPerson(google, keycloak, okta)
  const sub = randomUUID()
  google.person = { ...google.person, sub }
  const ada = await userOf(service, await newBrowser(service).signIn('google'))
  for (const [name, provider] of [
    ['keycloak', keycloak],
    ['my-okta', okta],
  ] as const) {
    provider.person = { ...provider.person, sub }
    const sameEmail = await newBrowser(service).signIn(name)
    assert.deepEqual([sameEmail.status, sameEmail.body.code], [409, 'account_exists'], name)
    provider.person = { ...provider.person, email: `${name}@example.com` }
    const other = await userOf(service, await newBrowser(service).signIn(name))
    assert.notEqual(other.id, ada.id)
  }
  assert.deepEqual(await providersOf(service), ['google', 'keycloak', 'my-okta'])
  assert.equal((await userOf(service, await newBrowser(service).signIn('google'))).id, ada.id)
})

test('OA-8, LG-1, LG-3: linking and unlinking shows the title in mails and the name in the record', async (t) => {
  const { service } = await start(t)
  const user = await service.signUp()
  const { accessToken: token } = user
  const linked = await link(service, 'keycloak', token)
  assert.deepEqual([linked.status, linked.body], [200, { status: 'linked', provider: 'keycloak' }])
  const untitled = await link(service, 'my-okta', token)
  assert.deepEqual(untitled.body, { status: 'linked', provider: 'my-okta' })
  assert.equal((await newBrowser(service).signIn('keycloak')).status, 200)
  assert.equal((await service.request('DELETE', '/api/auth/identities/keycloak', { token })).status, 204)
  const again = await service.request('DELETE', '/api/auth/identities/keycloak', { token })
  assert.deepEqual([again.status, again.body.code], [404, 'identity_not_found'])
  assert.deepEqual(await providersOf(service), ['my-okta'])

  const { body } = await service.request('GET', '/me/security-events?type=identity_linked', { token })
  assert.deepEqual(
    body.data.map(({ method }: { method: string }) => method),
    ['my-okta', 'keycloak'],
  )
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  const subjects = outbox.body.map(({ subject }: { subject: string }) => subject)
  for (const subject of ['Printing Works was linked to', 'Printing Works was unlinked from', 'my-okta was linked to']) {
    assert.ok(subjects.includes(`${subject} your account`), subject)
  }
})

test('SU-1: an account without a password steps up with a provider from the settings', async (t) => {
  const { keycloak, service } = await start(t)
  newPerson(keycloak)
  const { accessToken: token, refreshToken } = (await newBrowser(service).signIn('keycloak')).body
  service.clock.shift(601)
  const mayExport = async (accessToken: string) =>
    (await service.request('GET', '/me/export', { token: accessToken })).status
  assert.equal(await mayExport(token), 403)
  const stepUp = async () => {
    const browser = newBrowser(service)
    return browser.returnTo(await visitFor(browser, 'step-up', 'keycloak', token))
  }
  keycloak.alter = (claims) => ({ ...claims, sub: 'another' })
  const refused = await stepUp()
  assert.equal(refused.body.code, 'identity_not_found')
  assert.match(refused.body.detail, /^This Printing Works account is not linked/)
  keycloak.alter = (claims) => claims
  assert.deepEqual((await stepUp()).body, { status: 'stepped_up', provider: 'keycloak' })
  const { body } = await service.request('POST', '/api/auth/refresh', { body: { refreshToken } })
  assert.equal(await mayExport(body.accessToken), 200)
  const unlinked = await service.request('POST', '/api/auth/identities/my-okta/step-up', { token })
  assert.equal(unlinked.body.code, 'identity_not_found')
})

// RFC 9700, 4.4: each provider has a callback of its own, and a flow ends only at the provider where it began.
test('OA-2: no callback of one provider ends the flow of another', async (t) => {
  const { google, keycloak, okta, service } = await start(t)
  newPerson(google, keycloak, okta)
  const providers = ['google', 'keycloak', 'my-okta']
  for (const began of providers) {
    const browser = newBrowser(service)
    const callback = await visit(browser, began)
    for (const other of providers.filter((name) => name !== began)) {
      const moved = callback.href.replace(`/${began}/`, `/${other}/`)
      const answer = await browser.returnTo(moved)
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_state'], `${began} at ${other}`)
    }
    assert.deepEqual(await providersOf(service), [])
    const mixed = new URL(callback)
    mixed.searchParams.set('iss', 'https://attacker.example.com')
    assert.equal((await browser.returnTo(mixed.href)).body.code, 'provider_answer_invalid', began)
  }
  // The attacker puts a code of one provider into the flow of another. The service sends it to the other provider's
  // token endpoint, with a verifier that does not belong to the code.
  const browser = newBrowser(service)
  const stolen = await visit(newBrowser(service), 'keycloak')
  const injected = await visit(browser, 'my-okta')
  injected.searchParams.set('code', stolen.searchParams.get('code') ?? '')
  const { length } = keycloak.requests.filter((request) => request === 'POST /token')
  assert.equal((await browser.returnTo(injected.href)).body.code, 'provider_answer_invalid')
  assert.equal(keycloak.requests.filter((request) => request === 'POST /token').length, length)
  assert.deepEqual(await providersOf(service), [])
})

test('OA-4: another issuer, in the discovery document or in an ID token, signs no user in', async (t) => {
  const { google, keycloak, okta, service } = await start(t)
  newPerson(google, keycloak, okta)
  keycloak.issuer = google.url
  const started = await service.request('GET', '/api/auth/keycloak')
  assert.deepEqual([started.status, started.body.code], [503, 'provider_unavailable'])
  keycloak.issuer = keycloak.url
  for (const iss of [google.url, keycloak.url, `${okta.url}/`]) {
    okta.alter = (claims) => ({ ...claims, iss })
    const answer = await newBrowser(service).signIn('my-okta')
    assert.deepEqual([answer.status, answer.body.code], [401, 'provider_answer_invalid'], iss)
  }
  // Keycloak signed the token, but the token names the issuer and the client of the other provider.
  newPerson(keycloak)
  assert.equal((await newBrowser(service).signIn('keycloak')).status, 200)
  okta.alter = (claims) => claims
  okta.signing = 'foreign'
  assert.equal((await newBrowser(service).signIn('my-okta')).body.code, 'provider_answer_invalid')
  assert.deepEqual(await providersOf(service), ['keycloak'])
})

test('OA-9: errors of the provider end in a problem, and no line of the log has a secret', async (t) => {
  const { keycloak, service } = await start(t)
  newPerson(keycloak)
  const browser = newBrowser(service)
  for (const [error, status, code] of [
    ['access_denied', 403, 'access_denied'],
    ['server_error', 401, 'provider_answer_invalid'],
  ] as const) {
    const callback = await visit(browser, 'keycloak')
    callback.searchParams.delete('code')
    callback.searchParams.set('error', error)
    const answer = await browser.returnTo(callback.href)
    assert.deepEqual([answer.status, answer.body.code], [status, code])
    assert.equal((await browser.returnTo(callback.href)).body.code, 'invalid_state', 'the flow is used up')
  }
  for (const fault of ['down', 'html', 'refusal'] as const) {
    keycloak.faults.set('/token', fault)
    assert.ok((await newBrowser(service).signIn('keycloak')).status >= 400)
  }
  const secret = keycloak.env['PLATEN_OIDC_KEYCLOAK_CLIENT_SECRET'] ?? ''
  assert.ok(secret.length > 10)
  assert.ok(!service.logLines().includes(secret))
  assert.ok(service.logLines().includes('"provider":"keycloak"'))
})

test('OA-9: requests for a provider that is not configured get 404, and other paths keep their methods', async (t) => {
  const { service } = await start(t)
  const { accessToken: token } = await service.signUp()
  // `constructor` is a member of every JavaScript object.
  for (const name of ['github', 'okta', 'keycloak2', 'constructor']) {
    for (const [method, path] of [
      ['GET', `/api/auth/${name}`],
      ['GET', `/api/auth/${name}/callback?code=a&state=b`],
      ['POST', `/api/auth/identities/${name}/link`],
    ] as const) {
      const answer = await service.request(method, path, { token })
      assert.deepEqual([answer.status, answer.body.code], [404, 'provider_not_configured'], path)
    }
  }
  const stepUp = await service.request('POST', '/api/auth/identities/constructor/step-up', { token })
  assert.equal(stepUp.body.code, 'provider_not_configured')
  for (const path of ['/api/auth/constructor', '/api/auth/%00']) {
    const removed = await service.request('DELETE', path.replace('auth/', 'auth/identities/'), { token })
    assert.deepEqual([removed.status, removed.body.code], [404, 'identity_not_found'])
  }
  const post = await service.request('GET', '/api/auth/login')
  assert.deepEqual([post.status, post.headers.get('allow')], [405, 'OPTIONS, POST'])
  for (const name of ['keycloak', 'google']) {
    const wrongMethod = await service.request('POST', `/api/auth/${name}`)
    assert.deepEqual([wrongMethod.status, wrongMethod.headers.get('allow')], [405, 'GET, OPTIONS'])
  }
})

test('an identity stays, and can be unlinked, when its provider is no longer configured', async (t) => {
  const { service } = await start(t)
  const { accessToken: token, userId } = await service.signUp()
  await sql`insert into identities (provider, subject, user_id, created_at)
    values ('former', '1', ${userId}, now())`.execute(service.db)
  const { body } = await service.request('GET', '/api/auth/identities', { token })
  assert.deepEqual(
    body.data.map(({ provider }: { provider: string }) => provider),
    ['former'],
  )
  assert.equal((await service.request('DELETE', '/api/auth/identities/former', { token })).status, 204)
  assert.deepEqual(await providersOf(service), [])
})

test('the OpenAPI document lists configured providers, and every path of another route is a reserved name', async (t) => {
  const { service } = await start(t)
  const { paths } = (await service.request('GET', '/openapi.json')).body
  assert.equal(paths['/api/auth/my-okta'].get.operationId, 'signInWith_my_okta')
  assert.equal(paths['/api/auth/keycloak/callback'].get.summary, 'Complete a sign-in with Printing Works')
  assert.ok(!Object.keys(paths).some((path) => path.includes('(')))
  const providers = ['google', 'github', 'keycloak', 'my-okta']
  const segments = Object.keys(paths).map((path) => /^\/api\/auth\/([^/]+)/.exec(path)?.[1] ?? 'login')
  for (const name of new Set(segments.filter((segment) => !providers.includes(segment)))) {
    assert.doesNotMatch(name, new RegExp(`^${PROVIDER_NAME}$`))
  }
})
