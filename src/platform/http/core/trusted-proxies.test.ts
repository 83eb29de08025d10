import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTrustedProxies } from './trusted-proxies.ts'

test('only peers of the listed networks are trusted proxies', () => {
  const isTrusted = createTrustedProxies(['loopback', '10.1.0.0/16', '192.0.2.7', '2001:db8::/32'])
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '192.0.2.7', '2001:db8::9']) {
    assert.ok(isTrusted(address), address)
  }
  for (const address of ['10.2.0.1', '192.0.2.8', '2001:db9::9', '::ffff:10.2.0.1', undefined, '', 'loopback']) {
    assert.ok(!isTrusted(address), String(address))
  }
  assert.ok(!createTrustedProxies([])('127.0.0.1'))
})
