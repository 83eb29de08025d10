import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilEventsVisible } from '../../test/harness.ts'
import { customerIdOf } from '../auth/index.ts'
import { startShop } from './factory.ts'
import { newId } from './ids.ts'

const actionsOf = (order: { availableActions: { action: string; allowed: boolean }[] }) =>
  order.availableActions.filter(({ allowed }) => allowed).map(({ action }) => action)

test('orders of other customers are not found by any operation', async (t) => {
  const shop = await startShop(t)
  const { order } = await shop.order()
  const { token } = await shop.signUp()
  const asked: [string, string, object?][] = [
    ['GET', ''],
    ['POST', '/cancel'],
    ['POST', '/pay', { token: 'test_ok' }],
  ]
  for (const id of [order.id, newId('order'), 'nonsense']) {
    for (const [method, path, body] of asked) {
      const answer = await shop.request(method, `/orders/${id}${path}`, { token, body })
      assert.deepEqual([answer.status, answer.body.code], [404, 'order_not_found'], `${method} ${id}${path}`)
    }
  }
  assert.deepEqual((await shop.request('GET', '/orders', { token })).body.data, [])
})

test('operations of operators refuse customers, and keys without the permission', async (t) => {
  const shop = await startShop(t)
  const { token, order } = await shop.order()
  const key = (await shop.signUpKey('operator', ['orders:read'])).token
  const paths: [string, object?][] = [
    ['payments', { method: 'manual' }],
    ['hold', { reason: 'x' }],
    ['release'],
    ['start-production'],
    ['shipments', { carrier: 'x' }],
    [`shipments/${newId('shipment')}/deliver`],
    [`shipments/${newId('shipment')}/return`],
    ['refunds'],
  ]
  for (const [path, body] of paths) {
    for (const caller of [token, key]) {
      assert.equal(
        (await shop.request('POST', `/orders/${order.id}/${path}`, { token: caller, body })).status,
        403,
        path,
      )
    }
  }
  assert.equal((await shop.request('GET', '/production/orders', { token })).status, 403)
  const item = order.items[0]
  const file = `/production/orders/${order.id}/items/${item.id}/files/print`
  assert.equal((await shop.request('GET', file, { token })).status, 403)
  assert.equal((await shop.request('GET', file)).status, 401)
})

test('orders are listed newest first, page by page, and by status', async (t) => {
  const shop = await startShop(t)
  const person = await shop.signUp()
  const { token } = person
  const { order: first } = await shop.order({ person })
  const { order: second } = await shop.order({ person })
  await shop.request('POST', `/orders/${first.id}/cancel`, { token })
  const page = await shop.request('GET', '/orders?limit=1', { token })
  const { order: later } = await shop.order({ person })
  const next = await shop.request('GET', `/orders?limit=1&cursor=${page.body.nextCursor}`, { token })
  const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)
  assert.deepEqual([ids(page), ids(next), next.body.nextCursor], [[second.id], [first.id], null])
  assert.deepEqual(ids(await shop.request('GET', '/orders?status=awaiting_payment', { token })), [later.id, second.id])
  assert.equal((await shop.request('GET', '/orders?status=lost', { token })).status, 400)

  // Operators see their own order like any other order, and can also act as its customer.
  const operator = await shop.signUp('operator')
  const { order: own } = await shop.order({ person: operator })
  const { body: read } = await shop.request('GET', `/orders/${own.id}`, { token: operator.token })
  assert.deepEqual([read.customerId, actionsOf(own)], [customerIdOf(operator.userId), ['pay', 'cancel']])
  assert.deepEqual(actionsOf(read), ['pay', 'cancel', 'record_payment'])
  const { body: others } = await shop.request('GET', `/orders/${first.id}`, { token: operator.token })
  assert.deepEqual(
    others.availableActions.filter(({ action }: { action: string }) => action === 'pay'),
    [],
  )
})

test('cancelling an order twice changes nothing', async (t) => {
  const shop = await startShop(t)
  const { token, order } = await shop.order()
  const cancelled = await shop.request('POST', `/orders/${order.id}/cancel`, { token, body: { reason: 'Wrong size' } })
  assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled'])
  assert.equal(cancelled.body.timeline.at(-1).reason, 'Wrong size')
  assert.deepEqual(actionsOf(cancelled.body), [])
  const again = await shop.request('POST', `/orders/${order.id}/cancel`, { token })
  assert.deepEqual([again.status, again.body], [200, cancelled.body])
  const paid = await shop.request('POST', `/orders/${order.id}/pay`, { token, body: { token: 'test_ok' } })
  assert.deepEqual([paid.status, paid.body.code, paid.body.orderStatus], [409, 'order_action_refused', 'cancelled'])
})

test('cancelling a paid order refunds it', async (t) => {
  const shop = await startShop(t)
  const { token, order } = await shop.order()
  await shop.request('POST', `/orders/${order.id}/pay`, { token, body: { token: 'test_ok' } })
  const { body } = await shop.request('POST', `/orders/${order.id}/cancel`, { token })
  assert.deepEqual([body.status, body.payment.status], ['cancelled', 'refunded'])
  assert.deepEqual(body.payment.refundedAmount, order.amounts.total)
  assert.deepEqual(
    body.timeline.map(({ type }: { type: string }) => type),
    ['order.created', 'payment.captured', 'order.confirmed', 'order.cancelled', 'payment.refunded'],
  )
})

test("every change emits an event with the owner's view, in a sequence without gaps", async (t) => {
  const shop = await startShop(t)
  const { token, order } = await shop.order()
  const operator = (await shop.signUp('operator')).token
  const act = (path: string, body?: object) =>
    shop.request('POST', `/orders/${order.id}/${path}`, { token: operator, body })
  await shop.request('POST', `/orders/${order.id}/pay`, { token, body: { token: 'test_declined' } })
  await act('payments', { method: 'manual', reference: 'bank' })
  await act('hold', { reason: 'The photo is dark.' })
  await act('release')
  await act('start-production')
  const { body: shipment } = await act('shipments', { carrier: 'DHL' })
  await act(`shipments/${shipment.id}/deliver`)
  await act('refunds', { amount: { amount: 100, currency: 'EUR' } })
  await untilEventsVisible(shop.db)
  const { body: events } = await shop.request('GET', '/events?limit=100', { token })
  assert.deepEqual(
    events.data.map(({ type, sequence }: { type: string; sequence: number }) => `${sequence} ${type}`),
    [
      '1 order.created',
      '2 payment.failed',
      '3 payment.captured',
      '4 order.confirmed',
      '5 order.on_hold',
      '6 order.released',
      '7 order.confirmed',
      '8 order.in_production',
      '9 shipment.created',
      '10 order.shipped',
      '11 shipment.delivered',
      '12 order.delivered',
      '13 payment.refunded',
    ],
  )
  const { body: now } = await shop.request('GET', `/orders/${order.id}`, { token })
  assert.deepEqual(events.data.at(-1).data, now)
  assert.deepEqual(events.data[0].data, order)
  assert.ok(events.data.every(({ subject }: { subject: string }) => subject === order.id))
})

test('a refused action changes nothing and emits nothing', async (t) => {
  const shop = await startShop(t)
  const { token, order } = await shop.order()
  const operator = (await shop.signUp('operator')).token
  for (const path of ['release', 'start-production', 'refunds']) {
    const { status, body } = await shop.request('POST', `/orders/${order.id}/${path}`, { token: operator })
    assert.deepEqual([status, body.code, body.orderStatus], [409, 'order_action_refused', 'awaiting_payment'], path)
  }
  assert.deepEqual((await shop.request('GET', `/orders/${order.id}`, { token })).body, order)
  await untilEventsVisible(shop.db)
  assert.equal((await shop.request('GET', '/events', { token })).body.data.length, 1)
})

test('actions without parameters accept an empty body or none', async (t) => {
  const shop = await startShop(t)
  const { order } = await shop.order()
  const operator = (await shop.signUp('operator')).token
  await shop.request('POST', `/orders/${order.id}/payments`, { token: operator, body: { method: 'manual' } })
  const start = (body?: object) =>
    shop.request('POST', `/orders/${order.id}/start-production`, { token: operator, body })
  assert.equal((await start({ rush: true })).status, 400)
  assert.equal((await start({})).status, 200)
})
