import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey } from './client-address.ts'

test('an IPv4 address has the same key in every notation', () => {
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:c000:207', '0:0:0:0:0:ffff:192.0.2.7']) {
    assert.equal(addressKey(address), '192.0.2.7', address)
  }
})

test('IPv6 addresses of one /64 have one key, and those of another /64 have another', () => {
  assert.equal(addressKey('2001:db8:1:2::1'), addressKey('2001:0db8:0001:0002:ffff:ffff:ffff:ffff'))
  assert.equal(addressKey('2001:db8::'), addressKey('2001:db8:0:0:1::'))
  assert.notEqual(addressKey('2001:db8:1:2::1'), addressKey('2001:db8:1:3::1'))
  assert.equal(addressKey('fe80::1%eth0'), addressKey('fe80::2'))
})
