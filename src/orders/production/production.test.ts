import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { customerIdOf } from '../../auth/index.ts'
import { insertPriceLock } from '../../designs/finalization/store.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { PriceTiers } from '../../products/index.ts'
import { ADDRESS, PRINT_FILE, startShop } from '../factory.ts'
import { newId } from '../ids.ts'

async function startInProduction(t: TestContext, quantity = 10) {
  const shop = await startShop(t)
  const { token, userId, order } = await shop.order({ quantity })
  const operator = (await shop.signUp('operator')).token
  const path = `/orders/${order.id}`
  const act = (action: string, body?: object) => shop.request('POST', `${path}/${action}`, { token: operator, body })
  await act('payments', { method: 'manual' })
  await act('start-production')
  const read = async () => (await shop.request('GET', path, { token })).body
  const [{ id: itemId }] = order.items
  return { shop, token, userId, order, operator, path, act, read, itemId }
}

test('operators see files, receipts and the customer of an order, customers do not', async (t) => {
  const { shop, token, userId, order, operator, path, itemId } = await startInProduction(t)
  const mine = (await shop.request('GET', path, { token })).body
  assert.deepEqual(
    [mine.customerId, mine.items[0].files, mine.items[0].receipt],
    [customerIdOf(userId), undefined, undefined],
  )
  const { body: theirs } = await shop.request('GET', path, { token: operator })
  const { body: list } = await shop.request('GET', '/production/orders', { token: operator })
  // Lists have no preflight reports.
  const items = theirs.items.map(({ preflight: _, ...item }: { preflight: object }) => item)
  assert.deepEqual(list.data, [{ ...theirs, items }])
  assert.equal(theirs.customerId, customerIdOf(userId))
  assert.equal(theirs.items[0].receipt, 'a.b.c')
  assert.equal(theirs.items[0].files[0].id, 'print')
  const file = await shop.request('GET', `/production${path}/items/${itemId}/files/print`, { token: operator })
  assert.deepEqual([file.status, file.text], [200, PRINT_FILE.toString()])
  assert.match(file.headers.get('content-disposition') ?? '', new RegExp(`${order.number}-1-print\\.pdf`))
  for (const [item, name] of [
    [itemId, 'preview-front'],
    [newId('orderItem'), 'print'],
  ]) {
    const missing = await shop.request('GET', `/production${path}/items/${item}/files/${name}`, { token: operator })
    assert.deepEqual([missing.status, missing.body.code], [404, 'file_not_found'])
  }
})

test('renewing a price lock does not change the receipt of an order', async (t) => {
  const { shop, token, order, operator, path } = await startInProduction(t)
  const { designId, finalizationId } = order.items[0]
  const now = shop.service.clock.now()
  const priceTiers: PriceTiers = [{ minQuantity: 1, unitAmount: 999 }]
  const renewal = { finalizationId, number: 2, priceTiers, currency: 'EUR', receipt: 'd.e.f', lockedAt: now }
  await shop.db.transaction().execute((trx) => insertPriceLock(trx, { ...renewal, validUntil: addSeconds(now, 3600) }))
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const later = (await shop.request('POST', '/orders', { token, body })).body
  assert.equal(later.items[0].unitPrice.amount, 999)
  const receiptOf = async (address: string) =>
    (await shop.request('GET', address, { token: operator })).body.items[0].receipt
  assert.equal(await receiptOf(path), 'a.b.c')
  assert.equal(await receiptOf(`/orders/${later.id}`), 'd.e.f')
})

test('the production queue lists open orders, orders of one status, or one order by number', async (t) => {
  const { shop, order, operator } = await startInProduction(t)
  const { order: unpaid } = await shop.order()
  const list = async (query: string) => shop.request('GET', `/production/orders${query}`, { token: operator })
  const ids = async (query: string) => (await list(query)).body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await ids(''), [order.id])
  assert.deepEqual(await ids('?status=awaiting_payment'), [unpaid.id])
  assert.deepEqual(await ids(`?number=${unpaid.number}`), [unpaid.id])
  const [last] = order.number.slice(-1)
  const mistyped = await list(`?number=${order.number.slice(0, -1)}${last === '0' ? '1' : '0'}`)
  assert.deepEqual([mistyped.status, mistyped.body.code], [400, 'order_number_invalid'])
})

test('an order is shipped with its last piece and delivered with its last shipment', async (t) => {
  const { act, read, itemId } = await startInProduction(t, 10)
  const ship = (quantity: number) => act('shipments', { carrier: 'DHL', items: [{ itemId, quantity }] })
  const first = await ship(4)
  assert.deepEqual([first.status, first.body.status, first.body.items], [201, 'shipped', [{ itemId, quantity: 4 }]])
  assert.equal((await read()).status, 'partially_shipped')
  const delivered = await act(`shipments/${first.body.id}/deliver`)
  assert.deepEqual([delivered.status, delivered.body.status], [200, 'delivered'])
  assert.equal((await read()).status, 'partially_shipped')
  const tracking = { trackingNumber: '00340', trackingUrl: 'https://example.com/00340' }
  const rest = await act('shipments', { carrier: 'DHL', ...tracking })
  assert.deepEqual([rest.body.items, rest.body.trackingUrl], [[{ itemId, quantity: 6 }], tracking.trackingUrl])
  assert.equal((await read()).status, 'shipped')
  await act(`shipments/${rest.body.id}/deliver`)
  assert.equal((await read()).status, 'delivered')
  const back = await act(`shipments/${rest.body.id}/return`)
  assert.deepEqual([back.status, back.body.status], [200, 'returned'])
  assert.equal((await read()).status, 'delivered')
  const again = await act(`shipments/${rest.body.id}/deliver`)
  assert.deepEqual([again.status, again.body.orderStatus, again.body.shipmentStatus], [409, 'delivered', 'returned'])
})

test('a shipment that returns without arriving does not deliver the order', async (t) => {
  const { act, read } = await startInProduction(t)
  const { body: parcel } = await act('shipments', { carrier: 'DHL' })
  assert.equal((await act(`shipments/${parcel.id}/return`)).body.status, 'returned')
  assert.equal((await read()).status, 'shipped')
})

test('a shipment contains unshipped pieces only, each item once', async (t) => {
  const { act, read, itemId } = await startInProduction(t, 10)
  const refused: [object[], string, string][] = [
    [[{ itemId, quantity: 11 }], 'shipment_exceeds_order', '/items/0/quantity'],
    [[{ itemId: newId('orderItem'), quantity: 1 }], 'shipment_item_unknown', '/items/0/itemId'],
    [
      [
        { itemId, quantity: 1 },
        { itemId, quantity: 1 },
      ],
      'shipment_item_repeated',
      '/items/1/itemId',
    ],
  ]
  for (const [items, code, pointer] of refused) {
    const { status, body } = await act('shipments', { carrier: 'DHL', items })
    assert.deepEqual([status, body.code, body.errors[0].pointer], [422, code, pointer])
  }
  for (const body of [{ carrier: 'DHL', items: [] }, { carrier: 'DHL', trackingUrl: 'javascript:alert(1)' }, {}]) {
    assert.equal((await act('shipments', body)).status, 400)
  }
  assert.deepEqual([(await read()).status, (await read()).shipments], ['in_production', []])
})

test('an order on hold shows the reason, refuses transitions, and continues after release', async (t) => {
  const { act, read } = await startInProduction(t)
  const held = await act('hold', { reason: 'The street number is missing.' })
  assert.deepEqual([held.status, held.body.status], [200, 'on_hold'])
  assert.equal((await read()).timeline.at(-1).reason, 'The street number is missing.')
  for (const [action, body] of [['shipments', { carrier: 'DHL' }], ['start-production'], ['cancel']] as const) {
    const refused = await act(action, body)
    assert.deepEqual([refused.status, refused.body.orderStatus], [409, 'on_hold'], action)
  }
  const released = await act('release')
  assert.deepEqual([released.status, released.body.status], [200, 'in_production'])
})

test('a shipment of another order is not found', async (t) => {
  const { shop, act, operator } = await startInProduction(t)
  const { body: parcel } = await act('shipments', { carrier: 'DHL' })
  const { order: other } = await shop.order()
  const answer = await shop.request('POST', `/orders/${other.id}/shipments/${parcel.id}/deliver`, { token: operator })
  assert.deepEqual([answer.status, answer.body.code], [404, 'shipment_not_found'])
})
