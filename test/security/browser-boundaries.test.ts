import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../harness.ts'
import { SECURITY_HEADERS } from '../lib/security-headers.ts'

test("RT-1: foreign sites cannot use a browser's cookies to get or revoke tokens", async (t) => {
  const service = await startService(t, {
    env: { PLATEN_REDIRECT_URIS: 'https://shop.example/done,com.example.app:/done' },
  })
  const { email, password, accessToken, refreshToken } = await service.signUp()
  const from = (origin: string) => ({ headers: { origin } })
  const foreign = ['https://evil.example', 'https://shop.example.evil.example', 'http://shop.example', 'null', '']
  for (const origin of foreign) {
    const tries = [
      await service.request('POST', '/api/auth/refresh', { body: { refreshToken }, ...from(origin) }),
      await service.request('POST', '/api/auth/login', { body: { email, password }, ...from(origin) }),
      await service.request('POST', `${service.origin}/api/auth/logout`, { token: accessToken, ...from(origin) }),
    ]
    for (const answer of tries) {
      assert.equal(answer.status, 403, origin)
      assert.equal(answer.body.code, 'foreign_origin')
      assert.equal(answer.headers.get('access-control-allow-origin'), null)
    }
  }
  let token = refreshToken
  for (const origin of ['http://platen.localhost', 'https://shop.example', service.origin]) {
    const answer = await service.request('POST', '/api/auth/refresh', {
      body: { refreshToken: token },
      ...from(origin),
    })
    assert.equal(answer.status, 200, origin)
    token = answer.body.refreshToken
  }
})

test('RT-1: the only cookie is HttpOnly, SameSite=Strict, and __Host- under https', async (t) => {
  const service = await startService(t, { env: { PLATEN_PUBLIC_URL: 'https://platen.localhost' } })
  const { email, password } = await service.signUp()
  const answer = await service.request('POST', '/api/auth/login', { body: { email, password } })
  const cookies = answer.headers.getSetCookie()
  assert.equal(cookies.length, 1)
  assert.match(
    cookies[0] ?? '',
    /^__Host-platen_device=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
  )
  assert.ok(!cookies[0]?.includes(answer.body.refreshToken))
})

test('HD-2: responses about accounts are not cached, and none reveals the software', async (t) => {
  const service = await startService(t)
  const { email, password, accessToken } = await service.signUp()
  const answers = {
    login: await service.request('POST', '/api/auth/login', { body: { email, password } }),
    failedLogin: await service.request('POST', '/api/auth/login', { body: { email, password: 'wrong' } }),
    sessions: await service.request('GET', '/api/auth/sessions', { token: accessToken }),
    keys: await service.request('GET', '/api/api-keys', { token: accessToken }),
    me: await service.request('GET', '/me', { token: accessToken }),
    meForNobody: await service.request('GET', '/me'),
    unknown: await service.request('GET', '/nothing'),
    broken: await service.request('POST', '/api/auth/login', {
      body: '{',
      headers: { 'content-type': 'application/json' },
    }),
  }
  for (const [name, { status, headers, text }] of Object.entries(answers)) {
    const type = status < 400 ? 'application/json' : 'application/problem+json'
    assert.equal(headers.get('content-type'), `${type}; charset=utf-8`, name)
    if (!['unknown', 'broken'].includes(name)) assert.equal(headers.get('cache-control'), 'no-store', name)
    assert.equal(headers.get('server'), null, name)
    assert.equal(headers.get('x-powered-by'), null, name)
    assert.doesNotMatch(text, /node_modules|at .*\.ts:\d|select .* from|fastify|postgres/i, name)
  }
})

test('HD-1: refusals of credentials, sizes, media types and rates have the six headers', async (t) => {
  const service = await startService(t, { env: { PLATEN_RATE_LIMITS: 'on', PLATEN_RATE_LIMIT_ANONYMOUS: '5' } })
  const large = { email: 'a@example.com', password: 'x'.repeat(2 ** 20) }
  const refusals: [number, string, string, object?][] = [
    [401, 'GET', '/me'],
    [403, 'POST', '/api/auth/refresh?session=cookie'],
    [413, 'POST', '/api/auth/login', { body: large }],
    [415, 'POST', '/api/auth/login', { body: {}, headers: { 'content-type': 'text/plain' } }],
    [404, 'GET', '/nothing'],
    [429, 'GET', '/products'],
  ]
  for (const [status, method, path, more] of refusals) {
    let answer = await service.request(method, path, more)
    for (let tries = 0; status === 429 && answer.status !== 429 && tries < 10; tries += 1) {
      answer = await service.request(method, path, more)
    }
    assert.equal(answer.status, status, `${method} ${path}`)
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      assert.equal(answer.headers.get(name), value, `${name}, ${status}`)
  }
})

test('HD-1: every kind of page has a policy in the page that allows no base, objects and foreign forms', async (t) => {
  const service = await startService(t)
  const paths = [
    '/',
    '/console',
    '/docs',
    '/docs/reference',
    '/problems',
    '/problems/not_found',
    '/verify-email',
    '/dev/outbox/mails',
  ]
  for (const path of paths) {
    const { status, text, headers } = await service.request('GET', `${service.origin}${path}`)
    assert.equal(status, 200, path)
    assert.match(headers.get('content-type') ?? '', /^text\/html/, path)
    assert.match(
      text,
      /<meta http-equiv="Content-Security-Policy" content="base-uri 'none'; object-src 'none'; form-action 'self'"/,
      path,
    )
  }
})

test('HD-3: only documented methods change anything, and GET never does', async (t) => {
  const service = await startService(t)
  const document = (await service.request('GET', '/openapi.json')).body as { paths: Record<string, object> }
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const paths = Object.entries(document.paths).flatMap(([path, operations]) => ('get' in operations ? [] : [path]))
  assert.ok(paths.length > 80, String(paths.length))
  for (const path of paths) {
    const answer = await service.request('GET', path.replace(/\{\w+\}/g, 'x'), { token })
    assert.ok([404, 405].includes(answer.status), `GET ${path} -> ${answer.status}`)
  }
})

test('HD-3: only pages of the listed sites may call the API and read its responses', async (t) => {
  const service = await startService(t, { env: { PLATEN_REDIRECT_URIS: 'https://shop.example/done' } })
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
  const preflight = (origin: string) => service.request('OPTIONS', '/api/auth/token', { headers: { origin, ...asked } })
  const admitted = await preflight('https://shop.example')
  assert.equal(admitted.status, 204)
  assert.equal(admitted.headers.get('access-control-allow-origin'), 'https://shop.example')
  assert.match(admitted.headers.get('access-control-allow-headers') ?? '', /Authorization, Content-Type/)
  const read = await service.request('GET', '/products', { headers: { origin: 'https://shop.example' } })
  assert.equal(read.headers.get('access-control-allow-origin'), 'https://shop.example')
  assert.match(read.headers.get('access-control-expose-headers') ?? '', /Retry-After/)
  assert.equal(read.headers.get('vary'), 'Origin')
  for (const origin of ['https://evil.example', 'null', 'http://shop.example', 'https://shop.example.evil.example']) {
    for (const answer of [
      await preflight(origin),
      await service.request('GET', '/products', { headers: { origin } }),
    ]) {
      const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))
      assert.deepEqual(names, [], origin)
    }
  }
  assert.equal(admitted.headers.get('access-control-allow-credentials'), null)
})
