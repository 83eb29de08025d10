import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'

const ORIGIN = 'http://platen.localhost'
const OWN_PAGE = { origin: ORIGIN, 'platen-session': 'cookie' }

const cookiesOf = ({ headers }: TestResponse) => headers.getSetCookie().filter((one) => /platen_session/.test(one))
const tokenOf = (answer: TestResponse) =>
  /^(?:__Host-)?platen_session=([^;]*)/.exec(cookiesOf(answer)[0] ?? '')?.[1] ?? ''
const refusalOf = ({ status, body }: TestResponse) => [status, body.code]

async function startWithSession(t: Parameters<typeof startService>[0], env: Record<string, string> = {}) {
  const service = await startService(t, { env })
  const { email, password } = await service.signUp()
  const logIn = (headers: Record<string, string> = OWN_PAGE) =>
    service.request('POST', '/api/auth/login?session=cookie', { body: { email, password }, headers })
  return { service, email, password, logIn }
}

function refresh(service: TestService, cookie: string | undefined, options: { body?: object; query?: string } = {}) {
  const { body, query = '?session=cookie' } = options
  const headers = { ...OWN_PAGE, ...(cookie === undefined ? {} : { cookie: `platen_session=${cookie}` }) }
  return service.request('POST', `/api/auth/refresh${query}`, { headers, ...(body === undefined ? {} : { body }) })
}

test('RT-1: a browser session keeps its refresh token in a cookie that no script can read', async (t) => {
  const { service, logIn } = await startWithSession(t)
  const signedIn = await logIn()
  assert.equal(signedIn.status, 200)
  assert.deepEqual(Object.keys(signedIn.body).sort(), ['accessToken', 'expiresIn', 'status', 'tokenType'])
  assert.match(
    cookiesOf(signedIn)[0] ?? '',
    /^platen_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
  )
  assert.ok(signedIn.headers.getSetCookie().some((one) => one.startsWith('platen_device=')))
  const first = tokenOf(signedIn)
  const second = await refresh(service, first)
  assert.equal(second.status, 200)
  assert.equal(second.body.refreshToken, undefined)
  assert.notEqual(tokenOf(second), first)
  const repeated = await refresh(service, first, { body: {} })
  assert.deepEqual([repeated.status, tokenOf(repeated)], [200, tokenOf(second)])
  const me = await service.request('GET', '/me', { token: second.body.accessToken })
  assert.equal(me.status, 200)
  service.clock.shift(20)
  assert.deepEqual(refusalOf(await refresh(service, first)), [401, 'invalid_refresh_token'])
  assert.deepEqual(refusalOf(await refresh(service, tokenOf(second))), [401, 'invalid_refresh_token'])
})

test('RT-1: under https the cookie of a browser session is Secure and belongs to this host', async (t) => {
  const { logIn } = await startWithSession(t, { PLATEN_PUBLIC_URL: 'https://platen.localhost' })
  const answer = await logIn({ ...OWN_PAGE, origin: 'https://platen.localhost' })
  assert.match(
    cookiesOf(answer)[0] ?? '',
    /^__Host-platen_session=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
  )
})

test('RT-1: only pages of the service begin and continue browser sessions', async (t) => {
  const { service, logIn } = await startWithSession(t, { PLATEN_CORS_ORIGINS: 'https://shop.example' })
  const cookie = tokenOf(await logIn())
  const headersOf = (origin: string | undefined) => ({
    'platen-session': 'cookie',
    ...(origin === undefined ? {} : { origin }),
  })
  for (const origin of [undefined, 'null', 'https://shop.example', 'https://evil.example', service.origin]) {
    const headers = headersOf(origin)
    assert.deepEqual(refusalOf(await logIn(headers)), [403, 'foreign_origin'], String(origin))
    const withCookie = { ...headers, cookie: `platen_session=${cookie}` }
    const refused = await service.request('POST', '/api/auth/refresh?session=cookie', { headers: withCookie })
    assert.deepEqual([...refusalOf(refused), cookiesOf(refused)], [403, 'foreign_origin', []], String(origin))
  }
  for (const value of [undefined, '', 'yes']) {
    const headers = { origin: ORIGIN, ...(value === undefined ? {} : { 'platen-session': value }) }
    assert.deepEqual(refusalOf(await logIn(headers)), [400, 'platen_session_required'])
  }
  assert.equal((await refresh(service, cookie)).status, 200)
})

test('a refresh by cookie takes the cookie alone, and one by body ignores the cookie', async (t) => {
  const { service, email, password, logIn } = await startWithSession(t)
  const cookie = tokenOf(await logIn())
  const { refreshToken } = (await service.request('POST', '/api/auth/login', { body: { email, password } })).body
  const both = await refresh(service, cookie, { body: { refreshToken } })
  assert.deepEqual([...refusalOf(both), both.body.pointer], [400, 'validation_failed', '/refreshToken'])
  assert.equal((await refresh(service, cookie, { body: { token: 'x' } })).status, 400)
  for (const none of [undefined, '', 'nonsense', 'a'.repeat(5_000)]) {
    assert.deepEqual(refusalOf(await refresh(service, none)), [401, 'invalid_refresh_token'])
  }
  const withoutQuery = await refresh(service, cookie, { query: '' })
  assert.deepEqual(refusalOf(withoutQuery), [400, 'validation_failed'])
  const byBody = await refresh(service, cookie, { query: '', body: { refreshToken } })
  assert.equal(byBody.status, 200)
  assert.equal(typeof byBody.body.refreshToken, 'string')
  assert.deepEqual(cookiesOf(byBody), [])
  assert.equal((await refresh(service, cookie, { query: '?session=header' })).status, 400)
})

test('the cookie of a browser session is no credential, and logging out clears it', async (t) => {
  const { service, logIn } = await startWithSession(t)
  const signedIn = await logIn()
  const headers = { ...OWN_PAGE, cookie: `platen_session=${tokenOf(signedIn)}` }
  for (const path of ['/me', '/designs', '/api/auth/sessions', '/events']) {
    assert.deepEqual(refusalOf(await service.request('GET', path, { headers })), [401, 'authentication_required'], path)
  }
  assert.equal((await service.request('POST', '/api/auth/logout', { headers })).status, 401)
  const token = signedIn.body.accessToken
  const out = await service.request('POST', '/api/auth/logout', { headers, token })
  assert.deepEqual(
    [out.status, cookiesOf(out)],
    [204, ['platen_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict']],
  )
  assert.deepEqual(refusalOf(await refresh(service, tokenOf(signedIn))), [401, 'invalid_refresh_token'])
})
