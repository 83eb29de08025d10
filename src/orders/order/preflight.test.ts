import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { textLayer } from '../../designs/factory.ts'
import { startCardShop } from '../item-files/factory.ts'

test('operators see with which issues the design of an item was finalized', async (t) => {
  const shop = await startCardShop(t)
  const { request, operator, customer, call } = shop
  const small = await shop.finalize([
    textLayer('A heading of the card'),
    textLayer('Small print', { id: 'terms', y: 35, fontSizePt: 5 }),
    textLayer('Named small print', { id: 'named', name: 'Imprint', y: 45, height: 5, fontSizePt: 5.5 }),
  ])
  const clean = await shop.finalize([textLayer('Hello')])
  const items = [small, clean].map((designId) => ({ designId, quantity: 3 }))
  const { id } = await call('POST', '/orders', { ...shop.basket(small), items })

  const [first, second] = (await shop.read(id, operator.token)).items
  const seen = first.preflight.issues.map(({ code, severity, layer }: Record<string, unknown>) => [
    code,
    severity,
    layer,
  ])
  assert.deepEqual(seen, [
    ['text_too_small', 'warning', { id: 'terms', type: 'text', name: 'Small print' }],
    ['text_too_small', 'warning', { id: 'named', type: 'text', name: 'Imprint' }],
  ])
  assert.equal(first.preflight.issueCount, 2)
  assert.ok(first.preflight.issues.every(({ fix, message }: Record<string, unknown>) => fix === undefined && message))
  assert.deepEqual(second.preflight, { issues: [], issueCount: 0 })
  const held = await request('POST', `/orders/${id}/payments`, { token: operator.token, body: { method: 'manual' } })
  assert.equal(held.body.items[0].preflight.issueCount, 2)

  for (const token of [customer.token, operator.token]) {
    const { data } = (await request('GET', '/orders', { token })).body
    assert.ok(data.length > 0)
    assert.ok(data[0].items.every((item: object) => !('preflight' in item)))
  }
  assert.ok((await shop.read(id)).items.every((item: object) => !('preflight' in item)))
})

test('an order names the first issues of a design, and how many there are', async (t) => {
  const shop = await startCardShop(t)
  const layers = Array.from({ length: 23 }, (_, index) => textLayer('Small', { id: `t${index}`, fontSizePt: 5 }))
  const { id } = await shop.call('POST', '/orders', shop.basket(await shop.finalize(layers), undefined))
  const [item] = (await shop.read(id, shop.operator.token)).items
  assert.equal(item.preflight.issues.length, 20)
  assert.equal(item.preflight.issueCount, 23)
})

test('an order is read without the documents of its designs, and one of an earlier release with them', async (t) => {
  const shop = await startCardShop(t)
  const layers = [textLayer('Small', { name: 'Imprint', fontSizePt: 5 })]
  const { id } = await shop.call('POST', '/orders', shop.basket(await shop.finalize(layers), undefined))
  const read = async () => (await shop.read(id, shop.operator.token)).items[0].preflight
  const report = await read()
  assert.equal(report.issues[0].layer.name, 'Imprint')
  await sql`update designs set document = '{}'`.execute(shop.db)
  assert.deepEqual(await read(), report)
  await sql`update finalizations set accepted_issues = null`.execute(shop.db)
  assert.equal((await read()).issueCount, 1)
  assert.equal((await read()).issues[0].layer, undefined)
})
