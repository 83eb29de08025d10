import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRequestContext, runInRequest } from '../../platform/concurrency/request-context.ts'
import { openPools } from '../../platform/outbox/factory.ts'
import { createShopCharges } from './charges.ts'

// Otherwise a request that must wait for its turn would let all others wait that need the charges meanwhile.
test('reading the charges of the shop counts for no account', async (t) => {
  const [pool] = await openPools(t, 1)
  assert.ok(pool !== undefined)
  const shop = createShopCharges(pool.db)
  const request = { ...createRequestContext(), account: 'usr_1', isCustomer: true }
  await runInRequest(request, () => shop.chargesTo({ country: 'DE' }))
  assert.equal(request.movedBytes, 0)
})
