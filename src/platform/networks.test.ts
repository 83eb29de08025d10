import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey } from './http/core/client-address.ts'
import { householdOf, networkOf } from './networks.ts'

test('addresses of one /24 or /48 are one network, and keys that are no address are one each', () => {
  const network = (address: string) => networkOf(addressKey(address))
  assert.equal(network('192.0.2.7'), '192.0.2.0/24')
  assert.equal(network('::ffff:192.0.2.200'), '192.0.2.0/24')
  assert.equal(network('2001:db8:1:2::1'), '2001:db8:1::/48')
  assert.equal(network('2001:db8:1:ffff::9'), '2001:db8:1::/48')
  assert.notEqual(network('192.0.3.7'), network('192.0.2.7'))
  assert.deepEqual([networkOf('usr_1'), networkOf('unknown')], ['usr_1', 'unknown'])
})

test('addresses of one /56 are one household, and only IPv6 has households', () => {
  const household = (address: string) => householdOf(addressKey(address))
  assert.equal(household('2001:db8:1:ab12::1'), '2001:db8:1:ab00::/56')
  assert.equal(household('2001:db8:1:abff::1'), '2001:db8:1:ab00::/56')
  assert.equal(household('2001:db8:1:ac12::1'), '2001:db8:1:ac00::/56')
  assert.equal(household('2001:db8:1:12::1'), '2001:db8:1:0::/56')
  for (const address of ['192.0.2.7', '::ffff:192.0.2.200', 'unknown']) assert.equal(household(address), undefined)
})
