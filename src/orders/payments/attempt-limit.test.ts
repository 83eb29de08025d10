import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startShop } from '../factory.ts'

// Each declined attempt adds an event with the whole order, also while too little disk space is free.
test('an account makes twenty payment attempts an hour that take no money', async (t) => {
  const shop = await startShop(t)
  const customer = await shop.signUp()
  const pay = async (orderId: string, token: string, as = customer) =>
    shop.request('POST', `/orders/${orderId}/pay`, { token: as.token, body: { token } })
  const { order } = await shop.order({ person: customer })
  const countEvents = async () => (await shop.db.selectFrom('events').select('id').execute()).length

  for (let attempt = 1; attempt <= 19; attempt += 1)
    assert.equal((await pay(order.id, 'test_declined')).status, 402, `attempt ${attempt}`)
  for (let paid = 1; paid <= 2; paid += 1)
    assert.equal((await pay((await shop.order({ person: customer })).order.id, 'test_ok')).status, 200)
  assert.equal((await pay(order.id, 'test_declined')).status, 402)

  const before = await countEvents()
  const refused = await pay(order.id, 'test_declined')
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
  assert.ok(Number(refused.headers.get('retry-after')) > 3000)
  assert.equal(await countEvents(), before)
  const other = await shop.signUp()
  const ordered = await shop.order({ person: other })
  assert.equal((await pay(ordered.order.id, 'test_declined', other)).status, 402)
})
