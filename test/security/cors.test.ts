import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../harness.ts'

const ENV = {
  PLATEN_CORS_ORIGINS: 'https://shop.example,https://*.shop.example',
  PLATEN_REDIRECT_URIS: 'https://partner.example/done',
}

test('RT-1: pages of configured origins may call the API, and only exact origins sign in with cookies', async (t) => {
  const service = await startService(t, { env: ENV })
  const { email, password, accessToken: token } = await service.signUp()
  const logIn = (origin: string) =>
    service.request('POST', '/api/auth/login', { body: { email, password }, headers: { origin } })
  for (const origin of ['https://shop.example', 'https://partner.example']) {
    const { status, headers } = await logIn(origin)
    assert.equal(status, 200)
    assert.equal(headers.get('access-control-allow-origin'), origin)
    const isNamed = origin === 'https://shop.example'
    assert.equal(headers.get('access-control-allow-credentials'), isNamed ? 'true' : null)
  }
  const byPattern = await logIn('https://a.b.shop.example')
  assert.equal(byPattern.status, 200)
  assert.equal(byPattern.headers.get('access-control-allow-origin'), 'https://a.b.shop.example')
  assert.equal(byPattern.headers.get('access-control-allow-credentials'), null)
  for (const origin of ['https://shop.example.evil.test', 'https://evil.test', 'http://a.shop.example']) {
    const { status, headers } = await logIn(origin)
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [403, null], origin)
  }
  const read = await service.request('GET', '/me', { token, headers: { origin: 'https://shop.example' } })
  assert.equal(read.headers.get('access-control-allow-origin'), 'https://shop.example')
  assert.equal(read.headers.get('access-control-allow-credentials'), null)
})

test('the preflight of a page states what the page may send, and responses what it may read', async (t) => {
  const service = await startService(t, { env: ENV })
  const headers = { origin: 'https://www.shop.example', 'access-control-request-method': 'PATCH' }
  const preflight = await service.request('OPTIONS', '/designs/dsn_none', { headers })
  assert.equal(preflight.status, 204)
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PATCH/)
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Authorization.*If-Match/)
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
  const exact = { ...headers, origin: 'https://shop.example', 'access-control-request-method': 'POST' }
  const signIn = await service.request('OPTIONS', '/api/auth/login', { headers: exact })
  assert.equal(signIn.headers.get('access-control-allow-credentials'), 'true')
  const { headers: answer } = await service.request('GET', '/products', { headers })
  const exposed = (answer.get('access-control-expose-headers') ?? '').split(', ')
  const wanted = ['ETag', 'Location', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed']
  for (const name of [...wanted, 'X-Request-Id', 'Deprecation', 'Sunset']) assert.ok(exposed.includes(name), name)
  assert.match(answer.get('vary') ?? '', /Origin/)
})

test('pages of configured origins may send every header that operations document, such as Platen-Customer', async (t) => {
  const service = await startService(t, { env: ENV })
  const asked = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
  const { headers } = await service.request('OPTIONS', '/orders', { headers: asked })
  const allowed = (headers.get('access-control-allow-headers') ?? '').split(', ')
  const { body } = await service.request('GET', '/openapi.json')
  const documented = Object.values<{ name: string; in: string }>(body.components.parameters).map(({ name }) => name)
  assert.ok(documented.includes('Platen-Customer'))
  // Pages may send `Accept` without permission.
  for (const name of documented.filter((one) => one !== 'Accept')) assert.ok(allowed.includes(name), name)
})

test('mails, authenticator apps and passkeys name the shop, and mails lead to its pages', async (t) => {
  const service = await startService(t, {
    env: { ...ENV, PLATEN_SHOP_URL: 'https://shop.example/account', PLATEN_SHOP_NAME: 'Ada Cards' },
  })
  const { accessToken: token, email } = await service.signUp()
  const forgot = await service.request('POST', '/api/auth/password/forgot', { body: { email } })
  assert.equal(forgot.status, 202)
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  const [mail] = outbox.body.filter(({ to }: { to: string }) => to === email)
  assert.match(mail.text, /^https:\/\/shop\.example\/account\/reset-password\?token=\S+$/m)
  assert.match(mail.text, /\nAda Cards\n$/)
  const { body: factor } = await service.request('POST', '/api/auth/mfa/enable', { token })
  assert.match(factor.otpauthUri, /issuer=Ada%20Cards/)
  const { body: offer } = await service.request('POST', '/api/auth/webauthn/register', { token })
  assert.deepEqual(offer.publicKey.rp, { id: 'platen.localhost', name: 'Ada Cards' })
})

test('a refused preflight is logged once for each origin, and never for 100 origins more', async (t) => {
  const service = await startService(t, { env: ENV })
  const preflight = (origin: string) =>
    service.request('OPTIONS', '/designs', { headers: { origin, 'access-control-request-method': 'GET' } })
  for (const origin of ['https://a.test', 'https://a.test', 'https://shop.example']) await preflight(origin)
  const warnings = () => service.logLines().split('cross-origin preflight refused').length - 1
  assert.equal(warnings(), 1)
  assert.match(service.logLines(), /"origin":"https:\/\/a\.test"/)
  for (let index = 0; index < 110; index += 1) await preflight(`https://n${index}.test`)
  assert.equal(warnings(), 100)
})
