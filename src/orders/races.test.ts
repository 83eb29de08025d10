import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Shop, startShop } from './factory.ts'

/**
 * Sends requests while the order's row is held, waits until each waits for it, and lets go:
 * all have read what they read before any could write.
 */
async function overlapping(shop: Shop, orderId: string, requests: Parameters<Shop['request']>[]) {
  const { answers } = await shop.db.transaction().execute(async (trx) => {
    await trx.selectFrom('orders').select('id').where('id', '=', orderId).forUpdate().execute()
    const answers = requests.map((request) => shop.request(...request))
    await shop.service.untilBlocked(requests.length)
    return { answers }
  })
  return Promise.all(answers)
}

async function startWithOrder(t: Parameters<typeof startShop>[0], { paid = false } = {}) {
  const shop = await startShop(t)
  const { token, order } = await shop.order()
  const operator = (await shop.signUp('operator')).token
  const path = `/orders/${order.id}`
  if (paid) await shop.request('POST', `${path}/payments`, { token: operator, body: { method: 'manual' } })
  const read = async () => (await shop.request('GET', path, { token })).body
  const events = async () =>
    // Not through the API: that shows nothing newer than the oldest transaction open on the server, and others test on it.
    (await shop.db.selectFrom('events').select('type').orderBy('position').execute()).map(({ type }) => type)
  return { shop, order, token, operator, path, read, events }
}

const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

test('cancelling against a recorded payment: no cancelled order is left paid', async (t) => {
  const { shop, order, token, operator, path, read } = await startWithOrder(t)
  const [cancel, payment] = await overlapping(shop, order.id, [
    ['POST', `${path}/cancel`, { token }],
    ['POST', `${path}/payments`, { token: operator, body: { method: 'manual' } }],
  ])
  assert.equal(cancel?.status, 200)
  const { status, payment: money } = await read()
  assert.equal(status, 'cancelled')
  // Whichever came first: a payment before the cancellation was given back, one after it was refused.
  assert.equal(money.status, payment?.status === 200 ? 'refunded' : 'pending')
})

test('two payments recorded at once: one counts', async (t) => {
  const { shop, order, operator, path, events } = await startWithOrder(t)
  const body = { method: 'manual' }
  const answers = await overlapping(shop, order.id, [
    ['POST', `${path}/payments`, { token: operator, body }],
    ['POST', `${path}/payments`, { token: operator, body }],
  ])
  assert.deepEqual(statusesOf(answers), [200, 409])
  assert.deepEqual(await events(), ['order.created', 'payment.captured', 'order.confirmed'])
})

test('two payments through the provider at once charge once', async (t) => {
  const { shop, order, token, path, events } = await startWithOrder(t)
  const body = { token: 'test_ok' }
  const answers = await overlapping(shop, order.id, [
    ['POST', `${path}/pay`, { token, body }],
    ['POST', `${path}/pay`, { token, body }],
  ])
  assert.deepEqual(statusesOf(answers), [200, 409])
  assert.deepEqual(await events(), ['order.created', 'payment.captured', 'order.confirmed'])
  const attempts = await shop.db.selectFrom('payment_attempts').select('status').execute()
  assert.deepEqual(attempts, [{ status: 'captured' }])
})

test('two refunds at once never give back more than was paid', async (t) => {
  const { shop, order, operator, path, read } = await startWithOrder(t, { paid: true })
  const { amount, currency } = order.amounts.total
  const body = { amount: { amount: Math.ceil(amount * 0.6), currency } }
  const answers = await overlapping(shop, order.id, [
    ['POST', `${path}/refunds`, { token: operator, body }],
    ['POST', `${path}/refunds`, { token: operator, body }],
  ])
  assert.deepEqual(statusesOf(answers), [201, 422])
  assert.deepEqual((await read()).payment.refundedAmount, body.amount)
})

test('cancelling against the start of production: one of them happens', async (t) => {
  const { shop, order, token, operator, path, read } = await startWithOrder(t, { paid: true })
  const [cancel, start] = await overlapping(shop, order.id, [
    ['POST', `${path}/cancel`, { token }],
    ['POST', `${path}/start-production`, { token: operator }],
  ])
  assert.deepEqual(statusesOf([cancel, start].filter((answer) => answer !== undefined)), [200, 409])
  const { status, payment } = await read()
  const expected = cancel?.status === 200 ? ['cancelled', 'refunded'] : ['in_production', 'captured']
  assert.deepEqual([status, payment.status], expected)
})

test('two shipments of the same pieces at once: one leaves the house', async (t) => {
  const { shop, order, operator, path, read } = await startWithOrder(t, { paid: true })
  await shop.request('POST', `${path}/start-production`, { token: operator })
  const body = { carrier: 'DHL' }
  const answers = await overlapping(shop, order.id, [
    ['POST', `${path}/shipments`, { token: operator, body }],
    ['POST', `${path}/shipments`, { token: operator, body }],
  ])
  assert.deepEqual(statusesOf(answers), [201, 409])
  assert.equal((await read()).shipments.length, 1)
})

test('a hold against the start of production: the order is held in one state or the other', async (t) => {
  const { shop, order, operator, path, read } = await startWithOrder(t, { paid: true })
  const [hold, start] = await overlapping(shop, order.id, [
    ['POST', `${path}/hold`, { token: operator, body: { reason: 'The address is incomplete.' } }],
    ['POST', `${path}/start-production`, { token: operator }],
  ])
  assert.equal(hold?.status, 200)
  assert.equal((await read()).status, 'on_hold')
  const released = await shop.request('POST', `${path}/release`, { token: operator })
  assert.equal(released.body.status, start?.status === 200 ? 'in_production' : 'confirmed')
})
