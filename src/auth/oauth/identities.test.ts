import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type Browser, newBrowser } from '../../../test/fakes/sign-in/browser.ts'
import { startGithub } from '../../../test/fakes/sign-in/github.ts'
import { startGoogle } from '../../../test/fakes/sign-in/google.ts'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import type { SignedUp } from '../../../test/people.ts'

async function startWithProviders(t: Parameters<typeof startService>[0]) {
  const google = await startGoogle(t)
  const github = await startGithub(t)
  const service = await startService(t, { env: { ...google.env, ...github.env } })
  return { google, github, service }
}

/** Begins to link a provider, and returns the URL of the callback without opening it. */
async function beginLink(browser: Browser, provider: string, token: string): Promise<string> {
  const begun = await browser.post(`/api/auth/identities/${provider}/link`, token)
  assert.equal(begun.status, 200, begun.text)
  assert.deepEqual(Object.keys(begun.body), ['authorizationUrl'])
  return browser.visit(begun.body.authorizationUrl)
}

async function link(service: TestService, provider: string, token: string): Promise<TestResponse> {
  const browser = newBrowser(service)
  return browser.returnTo(await beginLink(browser, provider, token))
}

async function logIn(service: TestService, { email, password }: SignedUp): Promise<string> {
  const answer = await service.request('POST', '/api/auth/login', { body: { email, password } })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.accessToken
}

async function linkedTo(service: TestService, token: string): Promise<string[]> {
  const { body } = await service.request('GET', '/api/auth/identities', { token })
  assert.equal(body.nextCursor, null)
  return body.data.map((identity: { provider: string }) => identity.provider)
}

async function statusOfMe(service: TestService, token: string): Promise<number> {
  return (await service.request('GET', '/me', { token })).status
}

test('OA-8, SE-4, LG-1, LG-3: linking and unlinking end other sessions, are recorded and mailed', async (t) => {
  const { google, service } = await startWithProviders(t)
  const user = await service.signUp()
  const token = await logIn(service, user)
  const linked = await link(service, 'google', token)
  assert.equal(linked.status, 200, linked.text)
  assert.deepEqual(linked.body, { status: 'linked', provider: 'google' })
  assert.equal(await statusOfMe(service, token), 200)
  assert.equal(await statusOfMe(service, user.accessToken), 401)

  const { body } = await service.request('GET', '/api/auth/identities', { token })
  const [{ createdAt, ...identity }] = body.data
  assert.deepEqual(identity, { provider: 'google', label: 'ada@example.com', lastUsedAt: null })
  assert.ok(Date.parse(createdAt) > 0)
  // The email address at the provider differs, so the subject identifies the account.
  const signedIn = await newBrowser(service).signIn('google')
  const me = await service.request('GET', '/me', { token: signedIn.body.accessToken })
  assert.deepEqual([me.body.id, me.body.email], [user.userId, user.email])

  const unlinked = await service.request('DELETE', '/api/auth/identities/google', { token })
  assert.equal(unlinked.status, 204)
  assert.equal(await statusOfMe(service, token), 200)
  assert.equal(await statusOfMe(service, signedIn.body.accessToken), 401)
  assert.deepEqual(await linkedTo(service, token), [])
  const again = await service.request('DELETE', '/api/auth/identities/google', { token })
  assert.deepEqual([again.status, again.body.code], [404, 'identity_not_found'])
  assert.equal((await service.request('DELETE', '/api/auth/identities/facebook', { token })).status, 404)
  const stranger = await newBrowser(service).signIn('google')
  assert.equal(stranger.status, 200)
  assert.notEqual((await service.request('GET', '/me', { token: stranger.body.accessToken })).body.id, user.userId)

  const { rows } = await sql<{ type: string; session: boolean; personal: string }>`
    select type, session_id is not null as session, personal from security_events
    where user_id = ${user.userId} and type like 'identity%' order by id`.execute(service.db)
  assert.deepEqual(
    rows.map(({ type, session }) => [type, session]),
    [
      ['identity_linked', true],
      ['identity_unlinked', true],
    ],
  )
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  const subjects = outbox.body
    .filter((mail: { to: string }) => mail.to === user.email)
    .map((mail: { subject: string }) => mail.subject)
  for (const done of ['linked to', 'unlinked from']) {
    assert.equal(subjects.filter((subject: string) => subject === `Google was ${done} your account`).length, 1)
  }
  assert.ok(!JSON.stringify(outbox.body).includes(String(google.person['name'])), 'words of the provider in a mail')
})

test('OA-8: only the browser and the session that began to link can finish it', async (t) => {
  const { service } = await startWithProviders(t)
  const victim = await service.signUp()
  const attacker = await service.signUp()
  const refused = async (answer: TestResponse) =>
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_state'])
  const browser = newBrowser(service)

  // The attacker gives the victim the attacker's own callback URL. The victim's browser has another flow in progress.
  const own = newBrowser(service)
  const planted = await beginLink(own, 'google', attacker.accessToken)
  await beginLink(browser, 'github', victim.accessToken)
  await refused(await browser.returnTo(planted))
  // The attacker obtained the callback URL of the victim.
  const stolen = await beginLink(browser, 'google', victim.accessToken)
  await refused(await own.returnTo(stolen))
  // The attacker puts a code of the attacker into the victim's flow. The PKCE verifier of that flow does not match.
  const mixed = new URL(stolen)
  mixed.searchParams.set('code', new URL(planted).searchParams.get('code') ?? '')
  assert.equal((await browser.returnTo(mixed.href)).status, 401)
  assert.deepEqual(await linkedTo(service, victim.accessToken), [])

  for (const end of ['logout', 'disable', 'delete'] as const) {
    const person = await service.signUp()
    const callback = await beginLink(browser, 'google', person.accessToken)
    if (end === 'logout') await service.request('POST', '/api/auth/logout', { token: person.accessToken })
    if (end === 'disable')
      await sql`update users set disabled_at = now() where id = ${person.userId}`.execute(service.db)
    if (end === 'delete') await sql`delete from users where id = ${person.userId}`.execute(service.db)
    await refused(await browser.returnTo(callback))
  }
  const tired = await service.signUp()
  const inTime = await beginLink(browser, 'google', tired.accessToken)
  await sql`update sessions set expires_at = now() where user_id = ${tired.userId}`.execute(service.db)
  await refused(await browser.returnTo(inTime))
  const { rows } = await sql`select from identities`.execute(service.db)
  assert.equal(rows.length, 0)
})

test('SU-1, OA-8: linking and unlinking need a session with a recent authentication', async (t) => {
  const { service } = await startWithProviders(t)
  const { accessToken: token } = await service.signUp()
  const made = await service.request('POST', '/api/api-keys', {
    token,
    body: { name: 'k', permissions: ['read', 'write'] },
  })
  const calls = [
    ['POST', '/api/auth/identities/google/link'],
    ['DELETE', '/api/auth/identities/google'],
  ] as const
  for (const [method, path] of calls) {
    assert.equal((await service.request(method, path)).status, 401)
    assert.equal((await service.request(method, path, { token: made.body.key })).body.code, 'session_required')
  }
  assert.equal((await service.request('GET', '/api/auth/identities')).status, 401)
  assert.equal((await service.request('GET', '/api/auth/identities', { token: made.body.key })).status, 403)
  service.clock.shift(601)
  for (const [method, path] of calls) {
    const answer = await service.request(method, path, { token })
    assert.deepEqual([answer.status, answer.body.code, answer.body.maxAge], [403, 'step_up_required', 600])
  }
  assert.deepEqual(await linkedTo(service, token), [])
})

test('OA-8: an identity belongs to one account, and an account has one identity of a provider', async (t) => {
  const { google, service } = await startWithProviders(t)
  const first = await service.signUp()
  const second = await service.signUp()
  assert.equal((await link(service, 'google', first.accessToken)).status, 200)
  const taken = await link(service, 'google', second.accessToken)
  assert.deepEqual([taken.status, taken.body.code], [409, 'identity_taken'])
  assert.equal(await statusOfMe(service, second.accessToken), 200)
  const again = await service.request('POST', '/api/auth/identities/google/link', { token: first.accessToken })
  assert.deepEqual([again.status, again.body.code], [409, 'provider_already_linked'])

  // Two flows begin before either is finished.
  const [one, two] = [newBrowser(service), newBrowser(service)]
  google.person = { ...google.person, sub: randomUUID() }
  const oneBack = await beginLink(one, 'google', second.accessToken)
  google.person = { ...google.person, sub: randomUUID() }
  const twoBack = await beginLink(two, 'google', second.accessToken)
  assert.equal((await one.returnTo(oneBack)).status, 200)
  assert.equal((await two.returnTo(twoBack)).body.code, 'provider_already_linked')
})

test('OA-8: of two accounts that link one identity at once, one gets it', async (t) => {
  const { service } = await startWithProviders(t)
  const people = [await service.signUp(), await service.signUp()]
  const pending: (() => Promise<TestResponse>)[] = []
  for (const { accessToken } of people) {
    const browser = newBrowser(service)
    const callback = await beginLink(browser, 'google', accessToken)
    pending.push(() => browser.returnTo(callback))
  }
  const sent = await service.db.transaction().execute(async (trx) => {
    await sql`select from users for update`.execute(trx)
    const answers = pending.map((returnTo) => returnTo())
    await service.untilBlocked(2)
    return answers
  })
  const codes = (await Promise.all(sent)).map(({ body }) => body.code ?? body.status)
  assert.deepEqual(codes.toSorted(), ['identity_taken', 'linked'])
})

test('OA-8: the last sign-in method stays, even if two are removed at once', async (t) => {
  const { service } = await startWithProviders(t)
  const signedIn = await newBrowser(service).signIn('google')
  const { accessToken: token } = signedIn.body
  const last = await service.request('DELETE', '/api/auth/identities/google', { token })
  assert.deepEqual([last.status, last.body.code], [409, 'last_way_in'])
  assert.equal((await link(service, 'github', token)).status, 200)
  const sent = await service.db.transaction().execute(async (trx) => {
    await sql`select from users for update`.execute(trx)
    const answers = ['google', 'github'].map((provider) =>
      service.request('DELETE', `/api/auth/identities/${provider}`, { token }),
    )
    await service.untilBlocked(2)
    return answers
  })
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [204, 409])
  assert.equal((await linkedTo(service, token)).length, 1)
})

test('a sign-in that waits while its identity is unlinked fails', async (t) => {
  const { service } = await startWithProviders(t)
  const user = await service.signUp()
  assert.equal((await link(service, 'google', user.accessToken)).status, 200)
  const sent = await service.db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${user.userId} for update`.execute(trx)
    const answer = newBrowser(service).signIn('google')
    await service.untilBlocked()
    await sql`delete from identities`.execute(trx)
    return [answer]
  })
  const { body } = (await sent[0]) ?? { body: {} }
  const me = await service.request('GET', '/me', { token: body.accessToken })
  assert.notEqual(me.body.id, user.userId)
})

test('OA-8: an identity that signs in for the first time while it is being linked goes to one account', async (t) => {
  const { service } = await startWithProviders(t)
  const user = await service.signUp()
  const browser = newBrowser(service)
  const callback = await beginLink(browser, 'google', user.accessToken)
  const [signingIn, linking] = await service.db.transaction().execute(async (trx) => {
    await sql`insert into users (id, email, role, created_at, updated_at)
      values ('usr_other', 'ada@example.com', 'customer', now(), now())`.execute(trx)
    const first = newBrowser(service).signIn('google')
    await service.untilBlocked()
    const second = browser.returnTo(callback)
    await service.untilBlocked(2)
    await sql`delete from users where id = 'usr_other'`.execute(trx)
    return [[first], [second]] as const
  })
  assert.equal((await signingIn[0]).status, 200)
  assert.equal((await linking[0]).body.code, 'identity_taken')
})

test('a link with a redirectUri returns to the page that began it, and only to an allowed one', async (t) => {
  const google = await startGoogle(t)
  const redirectUri = 'https://shop.example/account?tab=sign-in'
  const service = await startService(t, { env: { ...google.env, PLATEN_REDIRECT_URIS: redirectUri } })
  const { accessToken: token } = await service.signUp()
  const begin = (browser: Browser, body?: object) => browser.post('/api/auth/identities/google/link', token, body)
  const refused = await begin(newBrowser(service), { redirectUri: 'https://evil.example/' })
  assert.deepEqual([refused.status, refused.body.code], [400, 'redirect_uri_not_allowed'])
  const browser = newBrowser(service)
  const begun = await begin(browser, { redirectUri, state: 's 1' })
  const linked = await browser.returnTo(await browser.visit(begun.body.authorizationUrl))
  assert.equal(linked.status, 302)
  assert.equal(linked.headers.get('location'), `${redirectUri}&status=linked&provider=google&state=s+1`)
  assert.deepEqual(await linkedTo(service, token), ['google'])
  const { accessToken: other } = await service.signUp()
  const another = newBrowser(service)
  const path = '/api/auth/identities/google/link'
  const taken = await another.post(path, other, { redirectUri })
  const back = await another.returnTo(await another.visit(taken.body.authorizationUrl))
  assert.equal(back.headers.get('location'), `${redirectUri}&error=identity_taken`)
})
