import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../test/harness.ts'

test('the page for developers answers GET and HEAD with the security headers, also in production', async (t) => {
  const production = {
    NODE_ENV: 'production',
    PLATEN_PUBLIC_URL: 'https://print.example.com',
    PLATEN_TRUSTED_PROXIES: '127.0.0.1',
    PLATEN_PAYMENT_PROVIDER: 'manual',
  }
  for (const env of [{}, production]) {
    const service = await startService(t, { env })
    const headers = { 'x-forwarded-proto': 'https' }
    const page = await service.request('GET', `${service.origin}/developers`, { headers })
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(page.headers.get('content-security-policy'), "default-src 'self'")
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
    assert.equal(page.text.includes('/dev/outbox'), env !== production, 'only development has an outbox')
    const head = await service.request('HEAD', `${service.origin}/developers`, { headers })
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers.get('content-length'), page.headers.get('content-length'))
    const known = { ...headers, 'if-none-match': page.headers.get('etag') ?? '' }
    assert.equal((await service.request('GET', `${service.origin}/developers`, { headers: known })).status, 304)
  }
})

test('the style sheet has a URL of its content and can be stored forever', async (t) => {
  const service = await startService(t)
  const page = await service.request('GET', `${service.origin}/developers`)
  const [, path = ''] = /rel="stylesheet" href="([^"]+)"/.exec(page.text) ?? []
  const css = await service.request('GET', `${service.origin}${path}`)
  assert.deepEqual([css.status, css.headers.get('content-type')], [200, 'text/css; charset=utf-8'])
  assert.match(css.headers.get('cache-control') ?? '', /immutable/)
  assert.equal((await service.request('GET', `${service.origin}${path.replace('site.', 'site.0')}`)).status, 404)
})

test('each error code has a page in the look of the shop, without its program', async (t) => {
  const service = await startService(t)
  const index = await service.request('GET', `${service.origin}/problems`)
  assert.match(index.text, /<header class="shop-header">.*<main id="main"[^>]*>.*<footer/s)
  assert.doesNotMatch(index.text, /<script|modulepreload/)
  const shop = await service.request('GET', `${service.origin}/`)
  const styles = ({ text }: { text: string }) => text.match(/<link rel="stylesheet"[^>]*>/g)
  assert.deepEqual(styles(index), styles(shop))
  const page = await service.request('GET', `${service.origin}/problems/validation_failed`)
  assert.equal(page.status, 200)
  assert.match(page.text, /<h1><code>validation_failed<\/code><\/h1>/)
  const headers = { 'accept-language': 'de' }
  const german = await service.request('GET', `${service.origin}/problems/validation_failed`, { headers })
  assert.match(german.text, /<html lang="de".*Warenkorb.*<div class="page" lang="en">.*Für Entwickler/s)
  assert.match(german.headers.get('vary') ?? '', /Accept-Language/)
  const unknown = await service.request('GET', `${service.origin}/problems/no_such_code`)
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found'])
})
