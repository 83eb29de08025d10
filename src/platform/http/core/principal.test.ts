import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newGuestId } from '../../fair-share.ts'
import { accountOf, type Principal } from './principal.ts'

const principal = (userId: string): Principal => ({
  ...{ kind: 'guest', userId, role: 'customer' },
  ...{ credentialId: userId, staffRole: null, permissions: new Set<string>() },
})

test('the requests of all guests of one network count against one account', () => {
  const guest = (network: number) => principal(newGuestId('usr', Uint8Array.of(network, 0, 0, 0)))
  const account = (one: Principal | undefined, ip = '192.0.2.1') => accountOf({ principal: one, ip })
  assert.equal(account(guest(1)), account(guest(1), '192.0.2.9'))
  assert.notEqual(account(guest(1)), account(guest(2)))
  assert.equal(account(principal('usr_1')), 'usr_1')
  assert.equal(account(undefined), '192.0.2.1')
})
