import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOfShare, newGuestId, shareOf } from '../../platform/fair-share.ts'
import { networkGroup } from './network-group.ts'

const share = (ip: string, secret = 1) =>
  shareOf(newGuestId('usr', networkGroup({ derive: () => Buffer.alloc(32, secret) }, ip)))

test('guests of one address have one share, and the shares of a network have a part in common', () => {
  assert.equal(share('192.0.2.7'), share('::ffff:192.0.2.7'))
  assert.notEqual(share('192.0.2.7'), share('192.0.2.8'))
  assert.equal(networkOfShare(share('192.0.2.7')), networkOfShare(share('192.0.2.8')))
  assert.equal(networkOfShare(share('2001:db8:1:2::1')), networkOfShare(share('2001:db8:1:ff::1')))
  assert.notEqual(networkOfShare(share('192.0.2.7')), networkOfShare(share('192.0.3.7')))
})

test('anonymous callers share by their network, and users with a share of their own do not', () => {
  assert.equal(networkOfShare('192.0.2.7'), networkOfShare('192.0.2.8'))
  assert.equal(networkOfShare('2001:db8:1:2::/64'), networkOfShare('2001:db8:1:3::/64'))
  assert.equal(networkOfShare('usr_01h2xcejqtf2nbrexx3vqjhp41'), 'usr_01h2xcejqtf2nbrexx3vqjhp41')
})

test('the group tells no address without the secret of the service', () => {
  assert.notEqual(share('192.0.2.7', 1), share('192.0.2.7', 2))
  assert.notEqual(networkOfShare(share('192.0.2.7', 1)), networkOfShare(share('192.0.2.7', 2)))
})
