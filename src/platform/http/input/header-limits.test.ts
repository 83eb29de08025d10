import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutForwardedFor, cutLongPath, requireShortHeaders } from './header-limits.ts'

test('long headers are refused, also if many short ones are together as long', () => {
  for (const rawHeaders of [
    ['Accept', ','.repeat(9_000)],
    Array.from({ length: 2_000 }, (_, index) => (index % 2 === 0 ? 'Accept' : 'a/b')),
    ['X'.repeat(9_000), ''],
    ['Authorization', 'x'.repeat(9_000), 'Accept', ','.repeat(9_000)],
  ]) {
    assert.throws(() => requireShortHeaders({ rawHeaders }), { code: 'headers_too_large' })
  }
})

test('ordinary headers, tokens and cookies are accepted', () => {
  for (const rawHeaders of [
    [],
    ['Host', 'a', 'Referer', `https://a/${'x'.repeat(4_000)}`, 'Accept', '*/*'],
    ['AUTHORIZATION', 'x'.repeat(20_000), 'cookie', 'x'.repeat(10_000), 'Accept', '*/*'],
  ]) {
    requireShortHeaders({ rawHeaders })
  }
})

test('of a long X-Forwarded-For, the last addresses are read', () => {
  const headers = { 'x-forwarded-for': `${'10.0.0.1,'.repeat(3_000)}192.0.2.1, 10.0.0.2` }
  cutForwardedFor(headers)
  assert.match(headers['x-forwarded-for'], /^(10\.0\.0\.1,){100,110}192\.0\.2\.1, 10\.0\.0\.2$/)
  const short = { 'x-forwarded-for': '192.0.2.1, 10.0.0.2' }
  cutForwardedFor(short)
  assert.equal(short['x-forwarded-for'], '192.0.2.1, 10.0.0.2')
})

test('a long path is refused, and a long query is not', () => {
  for (const url of [`/${'x'.repeat(9_000)}`, `/${'x'.repeat(9_000)}?a=1`]) {
    const request = { url, rawHeaders: [] }
    cutLongPath(request)
    assert.throws(() => requireShortHeaders(request), { code: 'headers_too_large' })
  }
  for (const url of ['/', `/x?data=${'x'.repeat(20_000)}`, `/${'x'.repeat(8_000)}?a=1`]) {
    const request = { url, rawHeaders: [] }
    cutLongPath(request)
    requireShortHeaders(request)
    assert.equal(request.url, url)
  }
})
