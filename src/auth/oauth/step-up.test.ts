import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { type Browser, newBrowser } from '../../../test/fakes/sign-in/browser.ts'
import { startGithub } from '../../../test/fakes/sign-in/github.ts'
import { startGoogle } from '../../../test/fakes/sign-in/google.ts'
import { startService, type TestService } from '../../../test/harness.ts'
import { enableTotp } from '../../../test/lib/second-factor.ts'

async function start(t: TestContext) {
  const google = await startGoogle(t)
  const github = await startGithub(t)
  const service = await startService(t, { env: { ...google.env, ...github.env } })
  return { google, github, service }
}

interface Person {
  accessToken: string
  refreshToken: string
}

/** Signs in and waits until the authentication is too old for operations that need a recent one. */
async function signInLongAgo(service: TestService, provider: string): Promise<Person> {
  const { status, body, text } = await newBrowser(service).signIn(provider)
  assert.equal(status, 200, text)
  service.clock.shift(601)
  return body
}

async function begin(browser: Browser, provider: string, token: string): Promise<URL> {
  const begun = await browser.post(`/api/auth/identities/${provider}/step-up`, token)
  assert.equal(begun.status, 200, begun.text)
  return new URL(begun.body.authorizationUrl)
}

async function stepUp(service: TestService, provider: string, token: string) {
  const browser = newBrowser(service)
  return browser.returnTo(await browser.visit((await begin(browser, provider, token)).href))
}

async function refreshed(service: TestService, refreshToken: string): Promise<Person> {
  return (await service.request('POST', '/api/auth/refresh', { body: { refreshToken } })).body
}

/** Requests an operation that needs a step-up. */
async function exportStatus(service: TestService, token: string): Promise<number> {
  return (await service.request('GET', '/me/export', { token })).status
}

async function eventsOf(service: TestService, token: string, type: string) {
  const { body } = await service.request('GET', `/me/security-events?type=${type}`, { token })
  return body.data.map(({ result, method, sessionId }: Record<string, unknown>) => ({
    result,
    method,
    hasSession: sessionId !== null,
  }))
}

test('SU-1, LG-1: an account without a password steps up at its provider', async (t) => {
  const { service } = await start(t)
  for (const provider of ['google', 'github']) {
    const { accessToken, refreshToken } = await signInLongAgo(service, provider)
    assert.equal(await exportStatus(service, accessToken), 403, provider)
    const answer = await stepUp(service, provider, accessToken)
    assert.deepEqual([answer.status, answer.body], [200, { status: 'stepped_up', provider }])
    const { accessToken: token } = await refreshed(service, refreshToken)
    assert.equal(await exportStatus(service, token), 200, provider)
    const recorded = await eventsOf(service, token, 'step_up')
    assert.deepEqual(recorded, [{ result: 'success', method: provider, hasSession: true }])
  }
})

test('SU-1: after a step-up, the browser returns to the page that began it', async (t) => {
  const { service } = await start(t)
  const { accessToken: token } = await signInLongAgo(service, 'google')
  const path = '/api/auth/identities/google/step-up'
  const browser = newBrowser(service)
  const redirectUri = `${service.config.origin}/sign-in/provider`
  const begun = await browser.post(path, token, { redirectUri, state: 'a state' })
  const back = await browser.returnTo(await browser.visit(begun.body.authorizationUrl))
  const query = new URLSearchParams({ status: 'stepped_up', provider: 'google', state: 'a state' })
  assert.deepEqual([back.status, back.headers.get('location')], [302, `${redirectUri}?${query}`])
  for (const wrong of [`${redirectUri}/`, `${redirectUri}?next=x`, 'https://evil.example/sign-in/provider']) {
    const refused = await browser.post(path, token, { redirectUri: wrong })
    assert.deepEqual([refused.status, refused.body.code], [400, 'redirect_uri_not_allowed'])
  }
})

test('SU-1: a step-up asks the provider to authenticate the user again', async (t) => {
  const { service } = await start(t)
  const { accessToken: atGoogle } = await signInLongAgo(service, 'google')
  const { searchParams } = await begin(newBrowser(service), 'google', atGoogle)
  assert.deepEqual([searchParams.get('max_age'), searchParams.get('prompt')], ['0', 'select_account'])
  const { accessToken: atGithub } = await signInLongAgo(service, 'github')
  const url = await begin(newBrowser(service), 'github', atGithub)
  assert.equal(url.searchParams.get('prompt'), 'select_account')
  const ordinary = await service.request('GET', '/api/auth/google')
  assert.ok(!/max_age|prompt/.test(ordinary.headers.get('location') ?? 'prompt'))
})

test('SU-1: a step-up rejects an earlier authentication and another identity', async (t) => {
  const { google, service } = await start(t)
  const { accessToken, refreshToken } = await signInLongAgo(service, 'google')
  google.alter = (claims) => ({ ...claims, auth_time: Math.floor(service.clock.now().getTime() / 1000) - 120 })
  assert.equal((await stepUp(service, 'google', accessToken)).body.code, 'provider_answer_invalid')
  google.alter = (claims) => ({ ...claims, sub: 'another' })
  assert.equal((await stepUp(service, 'google', accessToken)).body.code, 'identity_not_found')
  google.alter = (claims) => claims
  const { accessToken: token } = await refreshed(service, refreshToken)
  assert.equal(await exportStatus(service, token), 403)
  const failure = { result: 'failure', method: 'google', hasSession: true }
  assert.deepEqual(await eventsOf(service, token, 'step_up_failed'), [failure, failure])
  const { body } = await service.request('GET', '/api/auth/identities', { token })
  assert.equal(body.data.length, 1, 'nothing was linked')
})

test('SU-1: a step-up at a provider ends in the browser and the session that began it', async (t) => {
  const { service } = await start(t)
  const { accessToken: token } = await signInLongAgo(service, 'google')
  const browser = newBrowser(service)
  const callback = await browser.visit((await begin(browser, 'google', token)).href)
  assert.equal((await newBrowser(service).returnTo(callback)).body.code, 'invalid_state')
  assert.equal((await service.request('POST', '/api/auth/logout', { token })).status, 204)
  assert.equal((await browser.returnTo(callback)).body.code, 'invalid_state')
})

test('SU-1: only a linked provider of an account without a second factor can step up', async (t) => {
  const { service } = await start(t)
  const begun = async (provider: string, token: string) =>
    (await service.request('POST', `/api/auth/identities/${provider}/step-up`, { token })).body.code
  const { accessToken: token } = await newBrowser(service)
    .signIn('google')
    .then(({ body }) => body)
  assert.equal(await begun('github', token), 'identity_not_found')
  assert.equal(await begun('facebook', token), 'provider_not_configured')
  const browser = newBrowser(service)
  const callback = await browser.visit((await begin(browser, 'google', token)).href)
  await enableTotp(service, { accessToken: token })
  assert.equal(await begun('google', token), 'invalid_code')
  assert.equal((await browser.returnTo(callback)).body.code, 'invalid_code')
})
