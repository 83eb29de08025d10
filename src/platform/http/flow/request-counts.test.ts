import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../core/principal.ts'
import { createRequestCounts } from './request-counts.ts'

const isLimited = { code: 'rate_limited' }
let accounts = 0

/** A request of an account that has no other requests. */
function requestFrom(ip: string, role: Principal['role'] = 'customer'): FastifyRequest {
  accounts += 1
  const principal = { userId: `usr_${accounts}`, credentialId: `key_${accounts}`, role }
  return { ip, principal } as unknown as FastifyRequest
}

test('when many requests are in flight, networks get equal parts, however many accounts they have', () => {
  const counts = createRequestCounts({ requests: 2, uploads: 2 })
  const enter = (ip: string, role?: Principal['role'], options = {}) => counts.enter(requestFrom(ip, role), options)
  const leaves = Array.from({ length: 8 }, (_, n) => enter(`192.0.2.${n}`))
  const refused = () => enter('192.0.2.200')
  assert.throws(refused, isLimited)
  for (let n = 0; n < 4; n += 1) enter('198.51.100.1')
  assert.throws(() => enter('198.51.100.2'), isLimited, 'half of all')
  enter('2001:db8:1:2::3')
  enter('2001:db8:1:ffff::3')
  enter('2001:db8:1::4')
  assert.throws(() => enter('2001:db8:1::5'), isLimited, 'a third of all')
  enter('192.0.2.1', 'operator')
  enter('192.0.2.1', 'customer', { rateLimit: 'upload' })
  for (const leave of leaves) leave()
  refused()
})

test('without limits in flight, networks have none either', () => {
  const counts = createRequestCounts({ requests: undefined, uploads: undefined })
  for (let n = 0; n < 1_000; n += 1) counts.enter(requestFrom('192.0.2.1'), {})
})
