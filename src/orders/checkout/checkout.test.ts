import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../test/ids.ts'
import { currentRequest } from '../../platform/concurrency/request-context.ts'
import { ADDRESS, type NewFinalizedDesign, type Person, type Shop, startShop } from '../factory.ts'
import { isOrderNumber } from '../order/order-number.ts'

const DAY = 24 * 3600

/** Creates a design of a customer, and the body of a request that orders 100 pieces of it. */
async function newBasket(shop: Shop, { token, userId }: Person, options: Partial<NewFinalizedDesign> = {}) {
  const designId = await shop.finalizedDesign({ ownerId: userId, ...options })
  const basket = { items: [{ designId, quantity: 100 }], shippingAddress: ADDRESS }
  return { token, userId, designId, basket }
}

const codesOf = ({ body }: { body: { errors: { code: string; pointer: string }[] } }) =>
  body.errors.map(({ code, pointer }) => [code, pointer])

test('quotes and orders', async (t) => {
  const shop = await startShop(t)
  // Uses API keys, because some of these tests move the clock so far ahead that access tokens would expire.
  const customer = await shop.signUpKey('customer', ['orders:read', 'orders:write'])
  const another = await shop.signUpKey('customer', ['orders:read', 'orders:write'])

  await t.test('a quote applies price tier, shipping and tax, and is valid for 30 minutes', async () => {
    const { token, basket } = await newBasket(shop, customer)
    const { status, body } = await shop.request('POST', '/quotes', { token, body: basket })
    assert.equal(status, 201)
    assert.match(body.id, /^quo_/)
    const eur = (amount: number) => ({ amount, currency: 'EUR' })
    assert.deepEqual(body.items[0].unitPrice, eur(120))
    assert.deepEqual(body.amounts, { subtotal: eur(12000), shipping: eur(490), tax: eur(2373), total: eur(14863) })
    assert.deepEqual([body.taxIncluded, body.shippingMethod], [false, 'standard'])
    assert.deepEqual(
      body.shippingMethods.map(({ id }: { id: string }) => id),
      ['standard', 'express'],
    )
    const minutes = (Date.parse(body.expiresAt) - shop.service.clock.now().getTime()) / 60_000
    assert.ok(minutes > 29.5 && minutes <= 30)
  })

  await t.test('an order has the prices of its quote, which is valid for one order', async () => {
    const { token, basket } = await newBasket(shop, customer)
    const quote = await shop.request('POST', '/quotes', { token, body: { ...basket, shippingMethod: 'express' } })
    const request = { token, body: { quoteId: quote.body.id, metadata: { cart: 7 } } }
    const { status, body: order } = await shop.request('POST', '/orders', request)
    assert.equal(status, 201)
    assert.deepEqual(order.amounts, quote.body.amounts)
    assert.deepEqual([order.status, order.payment.status], ['awaiting_payment', 'pending'])
    assert.deepEqual([order.shippingMethod, order.metadata, order.shippingAddress], ['express', { cart: 7 }, ADDRESS])
    assert.ok(isOrderNumber(order.number))
    assert.deepEqual((await shop.request('GET', `/orders/${order.id}`, { token })).body, order)

    const again = await shop.request('POST', '/orders', request)
    assert.deepEqual([again.status, again.body.code, again.body.orderId], [409, 'quote_used', order.id])
  })

  await t.test('customers with an order of a hundred items share connections with those of large bodies', async () => {
    const { token, designId, basket } = await newBasket(shop, await shop.signUp())
    const { charges } = shop.service.services.orders
    const { chargesTo } = charges
    const marks: (boolean | undefined)[] = []
    charges.chargesTo = (address) => {
      marks.push(currentRequest()?.sendsLargeBodies)
      return chargesTo(address)
    }
    const items = Array.from({ length: 100 }, () => ({ designId, quantity: 1 }))
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`note${n}`, 'x'.repeat(500)]))
    for (const body of [basket, { ...basket, items, metadata }, basket]) {
      assert.equal((await shop.request('POST', '/orders', { token, body })).status, 201)
    }
    charges.chargesTo = chargesTo
    assert.deepEqual(marks, [false, false, true])
  })

  await t.test('a quote can be read by its owner alone, also when it has been used or has expired', async () => {
    const { token, basket } = await newBasket(shop, customer)
    const { body: quote } = await shop.request('POST', '/quotes', { token, body: basket })
    const read = (id: string, credential = token) => shop.request('GET', `/quotes/${id}`, { token: credential })
    assert.deepEqual((await read(quote.id)).body, quote)
    const operator = await shop.signUpKey('operator', ['orders:read'])
    for (const [id, credential] of [
      [quote.id, another.token],
      [quote.id, operator.token],
      [newId('quote'), token],
      ['nonsense', token],
    ] as const) {
      const { status, body } = await read(id, credential)
      assert.deepEqual([status, body.code], [404, 'quote_not_found'])
    }
    const writer = await shop.signUpKey('customer', ['orders:write'])
    assert.equal((await read(quote.id, writer.token)).status, 403)
    assert.equal((await shop.request('POST', '/orders', { token, body: { quoteId: quote.id } })).status, 201)
    assert.deepEqual((await read(quote.id)).body, quote)
    const { body: late } = await shop.request('POST', '/quotes', { token, body: basket })
    shop.service.clock.shift(3600)
    assert.deepEqual((await read(late.id)).body, late)
  })

  await t.test('a quote belongs to its owner, and expires', async () => {
    const { token, basket } = await newBasket(shop, customer)
    const quote = await shop.request('POST', '/quotes', { token, body: basket })
    const body = { quoteId: quote.body.id }
    const { token: stranger } = another
    const theirs = await shop.request('POST', '/orders', { token: stranger, body })
    assert.deepEqual([theirs.status, theirs.body.code], [422, 'quote_not_found'])
    shop.service.clock.shift(30 * 60)
    const late = await shop.request('POST', '/orders', { token, body })
    assert.deepEqual([late.status, late.body.code], [409, 'quote_expired'])
  })

  await t.test('a quote expires with the first price lock', async () => {
    const { token, basket } = await newBasket(shop, customer)
    shop.service.clock.shift(30 * DAY - 600)
    const quote = await shop.request('POST', '/quotes', { token, body: basket })
    shop.service.clock.shift(600)
    const order = await shop.request('POST', '/orders', { token, body: { quoteId: quote.body.id } })
    assert.deepEqual([order.status, order.body.code], [409, 'quote_expired'])
  })

  await t.test('the response names every item at fault with its reason', async () => {
    const { token, userId, designId } = await newBasket(shop, customer)
    const foreign = await shop.finalizedDesign({ ownerId: another.userId })
    const draft = await shop.finalizedDesign({ ownerId: userId })
    await shop.db.updateTable('designs').set({ status: 'draft' }).where('id', '=', draft).execute()
    const archived = await shop.finalizedDesign({ ownerId: userId })
    await shop.db.updateTable('designs').set({ status: 'archived' }).where('id', '=', archived).execute()
    const order = (...designIds: string[]) => {
      const items = designIds.map((id) => ({ designId: id, quantity: 1 }))
      return shop.request('POST', '/orders', { token, body: { items, shippingAddress: ADDRESS } })
    }
    const answer = await order(designId, foreign, 'nonsense', newId('design'), draft, archived)
    assert.deepEqual([answer.status, answer.body.code], [422, 'design_not_found'])
    assert.deepEqual(codesOf(answer), [
      ['design_not_found', '/items/1/designId'],
      ['design_not_found', '/items/2/designId'],
      ['design_not_found', '/items/3/designId'],
      ['design_not_finalized', '/items/4/designId'],
      ['design_archived', '/items/5/designId'],
    ])
    for (const [id, code] of [
      [draft, 'design_not_finalized'],
      [archived, 'design_archived'],
    ] as const) {
      const refused = await order(id)
      assert.deepEqual([refused.status, refused.body.code], [409, code])
    }
    shop.service.clock.shift(30 * DAY)
    const late = await order(designId)
    assert.deepEqual([late.status, late.body.code, codesOf(late)[0]?.[1]], [409, 'price_expired', '/items/0/designId'])
    const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
    assert.equal((await shop.request('POST', '/quotes', { token, body })).body.code, 'price_expired')
  })

  await t.test('a design that was archived after the quote is refused', async () => {
    const { token, designId, basket } = await newBasket(shop, customer)
    const quote = await shop.request('POST', '/quotes', { token, body: basket })
    await shop.db.updateTable('designs').set({ status: 'archived' }).where('id', '=', designId).execute()
    const answer = await shop.request('POST', '/orders', { token, body: { quoteId: quote.body.id } })
    assert.deepEqual([answer.status, answer.body.code], [409, 'design_archived'])
  })

  await t.test('data must fill exactly the placeholders of the design', async () => {
    const { token, designId } = await newBasket(shop, customer, { placeholders: ['name', 'a/b'] })
    const order = (data?: Record<string, string>) => {
      const item = { designId, quantity: 1, ...(data === undefined ? {} : { data }) }
      return shop.request('POST', '/orders', { token, body: { items: [item], shippingAddress: ADDRESS } })
    }
    const missing = await order({ name: '  ', other: 'x' })
    assert.deepEqual([missing.status, missing.body.code], [422, 'placeholder_missing'])
    assert.deepEqual(codesOf(missing), [
      ['placeholder_missing', '/items/0/data/name'],
      ['placeholder_missing', '/items/0/data/a~1b'],
      ['placeholder_unknown', '/items/0/data/other'],
    ])
    assert.equal((await order()).body.code, 'placeholder_missing')
    const unseen = await order({ name: '\u200b', 'a/b': '\u3164 \u00ad' })
    assert.deepEqual(codesOf(unseen), [
      ['placeholder_missing', '/items/0/data/name'],
      ['placeholder_missing', '/items/0/data/a~1b'],
    ])
    const data = { name: 'Ada', 'a/b': 'שלום' }
    const filled = await order(data)
    assert.deepEqual([filled.status, filled.body.items[0].data], [201, data])
  })

  await t.test('mixed currencies and excessive totals are refused', async () => {
    const { token, userId, designId } = await newBasket(shop, customer)
    const order = (items: object[]) =>
      shop.request('POST', '/orders', { token, body: { items, shippingAddress: ADDRESS } })
    const dollars = await shop.finalizedDesign({ ownerId: userId, currency: 'USD' })
    const mixed = await order([
      { designId, quantity: 1 },
      { designId: dollars, quantity: 1 },
    ])
    assert.deepEqual([mixed.status, codesOf(mixed)], [422, [['currencies_mixed', '/items/1/designId']]])
    const yen = await shop.finalizedDesign({ ownerId: userId, currency: 'JPY' })
    assert.equal((await order([{ designId: yen, quantity: 1 }])).body.code, 'shipping_unavailable')
    const priceTiers = [{ minQuantity: 1, unitAmount: 1_000_000_000 }]
    const dear = await shop.finalizedDesign({ ownerId: userId, priceTiers })
    const huge = await order(Array.from({ length: 100 }, () => ({ designId: dear, quantity: 100_000 })))
    assert.deepEqual([huge.status, huge.body.code], [422, 'total_too_large'])
  })

  await t.test('invalid bodies are refused with pointers', async () => {
    const { token, basket, designId } = await newBasket(shop, customer)
    const quote = await shop.request('POST', '/quotes', { token, body: basket })
    const address = (change: object) => ({ ...basket, shippingAddress: { ...ADDRESS, ...change } })
    const item = (change: object) => ({ ...basket, items: [{ designId, quantity: 1, ...change }] })
    const refused: [object, string][] = [
      [{}, '/items'],
      [{ items: basket.items }, '/shippingAddress'],
      [{ quoteId: quote.body.id, ...basket }, '/items'],
      [{ ...basket, items: [] }, '/items'],
      [item({ quantity: 0 }), '/items/0/quantity'],
      [item({ quantity: -1 }), '/items/0/quantity'],
      [item({ quantity: 1.5 }), '/items/0/quantity'],
      [item({ quantity: 1e9 }), '/items/0/quantity'],
      [item({ quantity: '1' }), '/items/0/quantity'],
      [item({ unitPrice: { amount: 1, currency: 'EUR' } }), '/items/0/unitPrice'],
      [item({ data: { name: 'a\u0007' } }), '/items/0/data/name'],
      [{ ...basket, amounts: {} }, '/amounts'],
      [{ ...basket, metadata: { nested: {} } }, '/metadata/nested'],
      [address({ country: 'XX' }), '/shippingAddress/country'],
      [address({ country: 'de' }), '/shippingAddress/country'],
      [address({ city: 'Ber\nlin' }), '/shippingAddress/city'],
      [address({ city: 'Berlin\u0007' }), '/shippingAddress/city'],
      [address({ city: 'Ber\u2028lin' }), '/shippingAddress/city'],
      [address({ line1: '1 \u202etoor' }), '/shippingAddress/line1'],
      [address({ line2: '\u2067abc' }), '/shippingAddress/line2'],
      [address({ company: '\u200b \u200d' }), '/shippingAddress/company'],
      [address({ name: '   ' }), '/shippingAddress/name'],
      [address({ line1: 'x'.repeat(201) }), '/shippingAddress/line1'],
      [address({ email: 'nobody' }), '/shippingAddress/email'],
    ]
    for (const [body, pointer] of refused) {
      const answer = await shop.request('POST', '/orders', { token, body })
      assert.deepEqual([answer.status, answer.body.code], [400, 'validation_failed'], JSON.stringify(body))
      assert.ok(
        codesOf(answer).some(([, place]) => place === pointer),
        `${pointer} in ${answer.text}`,
      )
    }
    for (const path of ['/quotes', '/orders']) {
      const misaddressed = await shop.request('POST', path, { token, body: address({ postalCode: 'SW1A 1AA' }) })
      assert.deepEqual([misaddressed.status, misaddressed.body.code], [422, 'address_invalid'])
      assert.deepEqual(codesOf(misaddressed), [['wrong_format', '/shippingAddress/postalCode']])
    }
    const method = await shop.request('POST', '/orders', { token, body: { ...basket, shippingMethod: 'pigeon' } })
    assert.deepEqual([method.status, codesOf(method)], [422, [['shipping_method_unknown', '/shippingMethod']]])
  })

  await t.test('a postal address may be in any script', async () => {
    const { token, basket } = await newBasket(shop, customer)
    const shippingAddress = {
      name: '山田 太郎',
      line1: '千代田区１－１',
      city: '東京都',
      postalCode: '100-0001',
      country: 'JP',
    }
    const { status, body } = await shop.request('POST', '/orders', { token, body: { ...basket, shippingAddress } })
    assert.deepEqual([status, body.shippingAddress, body.amounts.tax.amount], [201, shippingAddress, 0])
  })

  await t.test('an idempotency key creates one order, and cannot be used for another request', async () => {
    const { token, basket } = await newBasket(shop, await shop.signUp())
    const headers = { 'idempotency-key': 'one' }
    const first = await shop.request('POST', '/orders', { token, body: basket, headers })
    const second = await shop.request('POST', '/orders', { token, body: basket, headers })
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    const other = await shop.request('POST', '/orders', { token, body: { ...basket, metadata: { a: 1 } }, headers })
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
    assert.equal((await shop.request('GET', '/orders', { token })).body.data.length, 1)
  })

  await t.test('a repetition during the first request is refused', async () => {
    const { token, designId, basket } = await newBasket(shop, customer)
    const request = { token, body: basket, headers: { 'idempotency-key': 'twin' } }
    const { answer, twin } = await shop.db.transaction().execute(async (trx) => {
      await trx.selectFrom('designs').select('id').where('id', '=', designId).forUpdate().execute()
      const pending = shop.request('POST', '/orders', request)
      await shop.service.untilBlocked()
      return { answer: pending, twin: await shop.request('POST', '/orders', request) }
    })
    assert.deepEqual([twin.status, twin.body.code], [409, 'idempotency_key_in_progress'])
    assert.equal((await answer).status, 201)
  })

  // Without the lock on the quote, both requests would find it unused.
  await t.test('of two parallel orders from one quote, one succeeds', async () => {
    const { token, basket } = await newBasket(shop, customer)
    const quote = await shop.request('POST', '/quotes', { token, body: basket })
    const request = { token, body: { quoteId: quote.body.id } }
    const pending = await shop.db.transaction().execute(async (trx) => {
      await trx.selectFrom('quotes').select('id').where('id', '=', quote.body.id).forUpdate().execute()
      const both = [shop.request('POST', '/orders', request), shop.request('POST', '/orders', request)]
      await shop.service.untilBlocked(2)
      return { both }
    })
    const statuses = (await Promise.all(pending.both)).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [201, 409])
  })

  // Without the lock on the design, the order would use what it read before the design was archived.
  await t.test('an order waits while its design is being archived, then is refused', async () => {
    const { token, designId, basket } = await newBasket(shop, customer)
    const pending = await shop.db.transaction().execute(async (trx) => {
      await trx.updateTable('designs').set({ status: 'archived' }).where('id', '=', designId).execute()
      const answer = shop.request('POST', '/orders', { token, body: basket })
      await shop.service.untilBlocked()
      return { answer }
    })
    const answer = await pending.answer
    assert.deepEqual([answer.status, answer.body.code], [409, 'design_archived'])
  })

  await t.test('anyone can list shipping methods', async () => {
    const { status, body } = await shop.request('GET', '/shipping-methods?currency=USD')
    assert.equal(status, 200)
    assert.deepEqual(body.data[0].price, { amount: 590, currency: 'USD' })
  })
})
