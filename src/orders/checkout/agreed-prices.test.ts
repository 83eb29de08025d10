import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ADDRESS, startShop } from '../factory.ts'

const eur = (amount: number) => ({ amount, currency: 'EUR' })

/** Starts a shop in which an operator acts for a customer without a sign-in, who has a finalized design. */
async function startCounter(t: TestContext) {
  const shop = await startShop(t)
  const operator = await shop.signUp('operator')
  const send = async (token: string, method: string, path: string, body?: object, headers = {}) =>
    shop.request(method, path, { token, headers, ...(body === undefined ? {} : { body }) })
  const { body: customer } = await send(operator.token, 'POST', '/customers', { externalId: 'walk-in' })
  const designId = await shop.finalizedDesign({ ownerId: customer.id.replace(/^cus_/, 'usr_') })
  const basket = (amount: unknown, currency = 'EUR', reason = 'Regular customer') => ({
    items: [{ designId, quantity: 2, agreedPrice: { unitPrice: { amount, currency }, reason } }],
    shippingAddress: ADDRESS,
  })
  const headers = { 'Platen-Customer': customer.id }
  /** Sends a request for the customer. */
  const act = (path: string, body: object, token = operator.token) => send(token, 'POST', path, body, headers)
  return { shop, operator, customer, designId, basket, send, act }
}

test('an agreed price stands beside the list price, and shipping, taxes and the quote follow it', async (t) => {
  const { shop, operator, customer, basket, send, act } = await startCounter(t)
  const { status, body: quote } = await act('/quotes', basket(200))
  assert.equal(status, 201)
  const agreedPrice = { listUnitPrice: eur(250), reason: 'Regular customer' }
  assert.deepEqual([quote.items[0].unitPrice, quote.items[0].agreedPrice], [eur(200), agreedPrice])
  // 19 percent of 4.00 EUR and of 4.90 EUR for shipping.
  const amounts = { subtotal: eur(400), shipping: eur(490), tax: eur(169), total: eur(1059) }
  assert.deepEqual(quote.amounts, amounts)

  const { email } = (await send(operator.token, 'GET', '/me')).body
  const fromQuote = await act('/orders', { quoteId: quote.id })
  const direct = await act('/orders', basket(200))
  for (const { body: order } of [fromQuote, direct]) {
    assert.deepEqual([order.amounts, order.items[0].unitPrice], [amounts, eur(200)])
    const { body: read } = await send(operator.token, 'GET', `/orders/${order.id}`)
    assert.deepEqual(read.items[0].agreedPrice, agreedPrice)
    const entries = read.timeline.map((one: { type: string; by: string; reason?: string; actor: object }) => [
      ...[one.type, one.by, one.reason, one.actor],
    ])
    const actor = { userId: operator.userId, email, name: null }
    assert.deepEqual(entries, [
      ['order.created', 'customer', undefined, actor],
      ['order.price_agreed', 'operator', 'Regular customer', actor],
    ])
  }
  const admin = await shop.signUp('admin')
  const { body: log } = await send(admin.token, 'GET', '/security-events?type=price_agreed')
  const recorded = log.data.map(({ actor, details }: { actor: string; details: object }) => ({ actor, ...details }))
  assert.deepEqual(recorded, [
    { actor: operator.userId, order: direct.body.id, customer: customer.id, items: 1 },
    { actor: operator.userId, quote: quote.id, customer: customer.id, items: 1 },
  ])
})

test('a customer cannot state a price, with whatever credential, and neither can staff without the permission', async (t) => {
  const { shop, operator, customer, basket, send, act } = await startCounter(t)
  const token = (await send(operator.token, 'POST', `/customers/${customer.id}/tokens`, {})).body.token
  const guest = (await send('', 'POST', '/api/auth/guest')).body.accessToken
  const { token: account } = await shop.signUp()
  const key = async (permissions: string[]) =>
    (await send(operator.token, 'POST', '/api/api-keys', { name: 'till', permissions })).body.key
  const reader = await key(['orders:read', 'prices:write'])
  const relay = await key(['orders:write', 'write'])
  for (const path of ['/quotes', '/orders']) {
    for (const credential of [token, guest, account]) {
      const { status, body } = await send(credential, 'POST', path, basket(1))
      assert.deepEqual([status, body.code], [403, 'insufficient_role'])
    }
    for (const credential of [reader, relay]) {
      const { status, body } = await act(path, basket(1), credential)
      assert.deepEqual([status, body.code], [403, 'insufficient_scope'])
    }
    const own = await send(operator.token, 'POST', path, basket(1))
    assert.deepEqual([own.status, own.body.code], [422, 'agreed_price_needs_customer'])
  }
  const till = await act('/quotes', basket(1), await key(['orders:write', 'prices:write']))
  assert.equal(till.status, 201, till.text)
  const { body: orders } = await send(operator.token, 'GET', `/orders?customerId=${customer.id}`)
  assert.deepEqual(orders.data, [])
})

test('an agreed price is a bounded amount in the currency of the design, with a reason', async (t) => {
  const { designId, basket, act } = await startCounter(t)
  for (const body of [basket(-1), basket(1.5), basket(1_000_000_001), basket('1'), basket(1, 'EUR', ' ')]) {
    assert.equal((await act('/quotes', body)).status, 400, JSON.stringify(body))
  }
  const foreign = await act('/quotes', basket(200, 'USD'))
  assert.deepEqual([foreign.status, foreign.body.code], [422, 'currencies_mixed'])
  assert.equal(foreign.body.errors[0].pointer, '/items/0/agreedPrice/unitPrice/currency')
  const [item] = basket(1_000_000_000).items
  const items = Array.from({ length: 100 }, () => ({ ...item, designId, quantity: 100_000 }))
  const huge = await act('/orders', { items, shippingAddress: ADDRESS })
  assert.deepEqual([huge.status, huge.body.code], [422, 'total_too_large'])
  assert.equal((await act('/orders', basket(0))).body.amounts.subtotal.amount, 0)
})

test('the records of a sale keep an agreed price after the customer is erased', async (t) => {
  const { operator, customer, basket, send, act } = await startCounter(t)
  const { body: order } = await act('/orders', basket(200))
  await act(`/orders/${order.id}/cancel`, {})
  const erased = await send(operator.token, 'DELETE', `/customers/${customer.id}`)
  assert.equal(erased.status, 204, erased.text)
  const { body: read } = await send(operator.token, 'GET', `/orders/${order.id}`)
  assert.equal(read.items[0].agreedPrice.reason, 'Regular customer')
  const agreed = read.timeline.find(({ type }: { type: string }) => type === 'order.price_agreed')
  assert.equal(agreed.reason, 'Regular customer')
})
