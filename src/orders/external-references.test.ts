import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimReference } from '../platform/records/external-reference.ts'
import { ADDRESS, type Person, type Shop, startShop } from './factory.ts'

const REFERENCE = 'shop-order 42'

async function order(shop: Shop, { userId, token }: Person, members: object) {
  const items = [{ designId: await shop.finalizedDesign({ ownerId: userId }), quantity: 1 }]
  return shop.request('POST', '/orders', { token, body: { items, shippingAddress: ADDRESS, ...members } })
}

async function quote(shop: Shop, { userId, token }: Person): Promise<string> {
  const items = [{ designId: await shop.finalizedDesign({ ownerId: userId }), quantity: 1 }]
  return (await shop.request('POST', '/quotes', { token, body: { items, shippingAddress: ADDRESS } })).body.id
}

test('an external reference belongs to one order of an account, and finds it in both lists', async (t) => {
  const shop = await startShop(t)
  const [customer, stranger, operator] = [await shop.signUp(), await shop.signUp(), await shop.signUp('operator')]
  const { body: first } = await order(shop, customer, { externalReference: REFERENCE })
  assert.equal(first.externalReference, REFERENCE)
  const quoteId = await quote(shop, customer)
  const body = { quoteId, externalReference: REFERENCE }
  const again = await shop.request('POST', '/orders', { token: customer.token, body })
  assert.deepEqual(
    [again.status, again.body.code, again.body.id, again.body.errors[0].pointer],
    [409, 'external_reference_taken', first.id, '/externalReference'],
  )
  // The refused order did not use the quote.
  const { body: second } = await shop.request('POST', '/orders', { token: customer.token, body: { quoteId } })
  assert.equal(second.externalReference, null)
  const { body: other } = await order(shop, stranger, { externalReference: REFERENCE })
  await shop.request('POST', `/orders/${first.id}/cancel`, { token: customer.token })

  const query = `externalReference=${encodeURIComponent(REFERENCE)}`
  const list = async (path: string, { token }: Person) =>
    (await shop.request('GET', `${path}?${query}`, { token })).body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await list('/orders', customer), [first.id])
  assert.deepEqual(await list('/production/orders', operator), [other.id, first.id])
})

// Without the lock of `claimReference`, the later request would fail at the index and not name the order.
test('of two orders with one external reference at once, the refusal of the later one names the earlier', async (t) => {
  const shop = await startShop(t)
  const person = await shop.signUp()
  const { body: first } = await order(shop, person, {})
  const { late } = await shop.db.transaction().execute(async (trx) => {
    await claimReference(trx, { table: 'orders', ownerId: person.userId, reference: REFERENCE, id: first.id })
    await trx.updateTable('orders').set({ external_reference: REFERENCE }).where('id', '=', first.id).execute()
    const late = order(shop, person, { externalReference: REFERENCE })
    await shop.service.untilBlocked()
    return { late }
  })
  const { status, body } = await late
  assert.deepEqual([status, body.code, body.id], [409, 'external_reference_taken', first.id])
})

test('erasing an account removes the external references of its orders, also from their events', async (t) => {
  const shop = await startShop(t)
  const [customer, operator] = [await shop.signUp(), await shop.signUp('operator')]
  const { body: made } = await order(shop, customer, { externalReference: REFERENCE })
  await shop.request('POST', `/orders/${made.id}/cancel`, { token: customer.token })
  const { body: exported } = await shop.request('GET', '/me/export', { token: customer.token })
  assert.equal(exported.orders[0].externalReference, REFERENCE)
  assert.equal((await shop.request('DELETE', '/me', { token: customer.token })).status, 204)
  const { body: left } = await shop.request('GET', `/orders/${made.id}`, { token: operator.token })
  assert.equal(left.externalReference, null)
  const events = await shop.db.selectFrom('events').select('data').where('subject', '=', made.id).execute()
  assert.doesNotMatch(JSON.stringify(events), new RegExp(REFERENCE))
})
