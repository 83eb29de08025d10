import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { prepareFirstStart } from '../../commands/serve/first-start.ts'
import { ADDRESS, type Person, type Shop, startShop } from '../factory.ts'
import { seedSampleSettings } from '../pricing/sample-settings.ts'

const eur = (amount: number) => ({ amount, currency: 'EUR' })
const FREIGHT = {
  name: 'Spedition Ü',
  estimatedDays: { min: 5, max: 9 },
  zones: [{ countries: ['DE'], rates: [{ maxWeightGrams: 400_000, prices: [eur(9_900)] }] }],
}

/** Restores the sample settings, and creates a design of a customer. */
async function startOver(shop: Shop, { token }: Person, customer: Person) {
  await shop.db.deleteFrom('shipping_methods').execute()
  await shop.db.deleteFrom('tax_settings').execute()
  await seedSampleSettings(shop.db, shop.service.clock.now())
  shop.deps.charges.invalidate()
  const designId = await shop.finalizedDesign({ ownerId: customer.userId })
  const call = (method: string, path: string, body?: unknown, by = token) =>
    shop.request(method, path, { token: by, ...(body === undefined ? {} : { body }) })
  const basket = (quantity: number, more: object = {}) => ({
    items: [{ designId, quantity }],
    shippingAddress: ADDRESS,
    ...more,
  })
  return { shop, customer, call, basket }
}

const placesOf = ({ body }: { body: { errors?: { code: string; pointer: string }[] } }) =>
  body.errors?.map(({ code, pointer }) => `${code} ${pointer}`)

const chargesOf = ({ body }: Awaited<ReturnType<Shop['request']>>) => [
  body.shippingMethod,
  ...['subtotal', 'shipping', 'tax', 'total'].map((name) => body.amounts[name].amount),
  body.taxIncluded,
]

test('shipping and tax settings', async (t) => {
  const shop = await startShop(t)
  const admin = await shop.signUp('admin')
  const person = await shop.signUp()
  const start = () => startOver(shop, admin, person)

  await t.test('administrators manage shipping methods, and deleted ones stay readable', async () => {
    const { shop, customer, call, basket } = await start()
    const operator = await shop.signUp('operator')
    for (const { token } of [customer, operator]) {
      assert.equal((await call('POST', '/shipping-methods', FREIGHT, token)).status, 403)
      assert.equal((await call('PATCH', '/shipping-methods/standard', { active: false }, token)).status, 403)
      assert.equal((await call('DELETE', '/shipping-methods/standard', undefined, token)).status, 403)
      assert.equal((await call('GET', '/shipping-settings', undefined, token)).status, 403)
    }

    const created = await call('POST', '/shipping-methods', FREIGHT)
    assert.equal(created.status, 201, created.text)
    const { id } = created.body
    assert.match(id, /^[a-z0-9-]+$/)
    assert.deepEqual([created.body.active, created.body.position], [true, 3])
    assert.equal(created.headers.get('location'), `/v1/shipping-methods/${id}`)
    const twin = await call('POST', '/shipping-methods', FREIGHT)
    assert.equal(twin.body.id, `${id}-2`)

    const listed = async (query = '') =>
      (await shop.request('GET', `/shipping-methods${query}`)).body.data.map(
        (method: { id: string; price: { amount: number } }) => `${method.id} ${method.price.amount}`,
      )
    assert.deepEqual(await listed(), ['standard 490', 'express 1490', `${id} 9900`, `${id}-2 9900`])
    assert.deepEqual(await listed('?country=FR&weightGrams=5000'), ['standard 990', 'express 2490'])
    assert.deepEqual(await listed('?currency=JPY'), [])

    const heavy = await shop.request('POST', '/quotes', { token: customer.token, body: basket(20_000) })
    assert.deepEqual(
      heavy.body.shippingMethods.map((method: { id: string; price: unknown }) => [method.id, method.price]),
      [
        ['standard', eur(7_900)],
        [id, eur(9_900)],
        [`${id}-2`, eur(9_900)],
      ],
    )
    const byFreight = basket(20_000, { shippingMethod: id })
    const order = await shop.request('POST', '/orders', { token: customer.token, body: byFreight })
    assert.deepEqual([order.status, order.body.shippingMethod, order.body.amounts.shipping], [201, id, eur(9_900)])

    const changed = await call('PATCH', `/shipping-methods/${id}`, { position: 0, name: 'Freight' })
    assert.deepEqual([changed.status, changed.body.name, changed.body.zones], [200, 'Freight', FREIGHT.zones])
    assert.equal((await listed())[0], `${id} 9900`)
    assert.equal((await call('PATCH', `/shipping-methods/${id}`, { active: false })).status, 200)
    const inactive = await shop.request('POST', '/orders', { token: customer.token, body: byFreight })
    assert.deepEqual([inactive.status, placesOf(inactive)], [422, ['shipping_method_unknown /shippingMethod']])

    for (let times = 0; times < 2; times += 1) {
      assert.equal((await call('DELETE', `/shipping-methods/${id}`)).status, 204)
    }
    const gone = await shop.request('GET', `/shipping-methods/${id}`)
    assert.deepEqual([gone.status, gone.body.name, typeof gone.body.deletedAt], [200, 'Freight', 'string'])
    const settings = (await call('GET', '/shipping-settings')).body.data.map((method: { id: string }) => method.id)
    assert.deepEqual(settings, ['standard', 'express', `${id}-2`])
    assert.equal(
      (await call('PATCH', `/shipping-methods/${id}`, { active: true })).body.code,
      'shipping_method_deleted',
    )
    assert.equal((await call('POST', '/shipping-methods', { ...FREIGHT, id })).body.code, 'shipping_method_exists')
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { active: true }]] as const) {
      assert.equal((await call(method, '/shipping-methods/pigeon', body)).body.code, 'shipping_method_not_found')
    }

    const { body: events } = await call('GET', '/security-events?type=shop_settings_changed&limit=100')
    const details = events.data.map((event: { details: object }) => event.details).reverse()
    assert.deepEqual(details, [
      { setting: 'shipping_method', id, change: 'created' },
      { setting: 'shipping_method', id: `${id}-2`, change: 'created' },
      { setting: 'shipping_method', id, change: 'changed' },
      { setting: 'shipping_method', id, change: 'changed' },
      { setting: 'shipping_method', id, change: 'deleted' },
    ])
  })

  await t.test('inconsistent settings are refused with pointers, and change nothing', async () => {
    const { call } = await start()
    const zone = (change: object) => ({ ...FREIGHT, zones: [{ ...FREIGHT.zones[0], ...change }] })
    const method = await call('POST', '/shipping-methods', { ...zone({ countries: ['*', 'DE'] }), id: 'pigeon' })
    assert.deepEqual([method.status, method.body.code], [422, 'shipping_method_invalid'])
    assert.deepEqual(placesOf(method), ['wildcard_not_alone /zones/0/countries/0'])
    const malformed: [object, string][] = [
      [zone({ countries: ['XX'] }), '/zones/0/countries/0'],
      [zone({ rates: [{ prices: [{ amount: 1.5, currency: 'EUR' }] }] }), '/zones/0/rates/0/prices/0/amount'],
      [zone({ rates: [{ prices: [{ amount: -1, currency: 'EUR' }] }] }), '/zones/0/rates/0/prices/0/amount'],
      [{ ...FREIGHT, id: 'Not An Id' }, '/id'],
      [{ ...FREIGHT, price: eur(1) }, '/price'],
    ]
    for (const [body, pointer] of malformed) {
      const answer = await call('POST', '/shipping-methods', body)
      assert.equal(answer.status, 400)
      assert.ok(
        placesOf(answer)?.some((place) => place.endsWith(` ${pointer}`)),
        `${pointer} in ${answer.text}`,
      )
    }
    for (const id of ['pigeon', '%00', '%27'])
      assert.equal((await call('GET', `/shipping-methods/${id}`)).body.code, 'shipping_method_not_found')

    const before = (await call('GET', '/tax-settings')).body
    const rates = [
      { country: 'US', region: 'Nowhere', basisPoints: 1 },
      { country: 'US', region: 'CA', basisPoints: 1 },
      { country: 'US', region: 'California', basisPoints: 2 },
    ]
    const taxes = await call('PUT', '/tax-settings', { taxIncluded: true, rates })
    assert.deepEqual([taxes.status, taxes.body.code], [422, 'tax_settings_invalid'])
    assert.deepEqual(placesOf(taxes), ['region_unknown /rates/0/region', 'duplicate /rates/2'])
    const tooHigh = await call('PUT', '/tax-settings', {
      taxIncluded: true,
      rates: [{ country: 'DE', basisPoints: 19.5 }],
    })
    assert.deepEqual([tooHigh.status, placesOf(tooHigh)?.[0]?.split(' ')[1]], [400, '/rates/0/basisPoints'])
    assert.deepEqual((await call('GET', '/tax-settings')).body, before)
  })

  await t.test('changed settings affect new quotes and orders, but not existing quotes', async () => {
    const { shop, customer, call, basket } = await start()
    const { token } = customer
    const post = async (path: string, body: unknown) => shop.request('POST', path, { token, body })
    const [quote, another] = [await post('/quotes', basket(100)), await post('/quotes', basket(100))]
    assert.deepEqual(chargesOf(quote), ['standard', 12_000, 490, 2_373, 14_863, false])

    const price = (amount: number) => [{ countries: ['*'], rates: [{ prices: [eur(amount)] }] }]
    assert.equal((await call('PATCH', '/shipping-methods/express', { zones: price(77) })).status, 200)
    assert.equal((await call('DELETE', '/shipping-methods/standard')).status, 204)
    const rates = [{ country: 'DE', basisPoints: 770 }]
    assert.equal((await call('PUT', '/tax-settings', { taxIncluded: true, rates })).status, 200)

    const order = await post('/orders', { quoteId: quote.body.id })
    assert.equal(order.status, 201)
    assert.deepEqual(chargesOf(order), chargesOf(quote))
    // A total of 120.77 includes a tax of 8.63 at 7.7 %.
    const now = ['express', 12_000, 77, 863, 12_077, true]
    assert.deepEqual(chargesOf(await post('/orders', basket(100))), now)
    assert.deepEqual(chargesOf(await post('/quotes', basket(100))), now)

    assert.equal((await call('DELETE', '/shipping-methods/express')).status, 204)
    const none = await post('/orders', basket(100))
    assert.deepEqual([none.status, placesOf(none)], [422, ['shipping_unavailable /shippingMethod']])
    assert.deepEqual(chargesOf(await post('/orders', { quoteId: another.body.id })), chargesOf(another))
  })

  await t.test('quote and order of one basket have equal amounts for every tax mode and destination', async () => {
    const { shop, customer, call, basket } = await start()
    const rates = [
      { country: 'DE', basisPoints: 1_900 },
      { country: 'US', region: 'California', basisPoints: 725 },
    ]
    const { name, line1, city } = ADDRESS
    const places = [
      ADDRESS,
      { name, line1, city, region: 'ca', postalCode: '90210', country: 'US' },
      { name, line1, city, country: 'HK' },
    ]
    for (const taxIncluded of [true, false]) {
      const saved = await call('PUT', '/tax-settings', { taxIncluded, rates })
      assert.deepEqual(saved.body.rates[1], { country: 'US', region: 'CA', basisPoints: 725 })
      for (const [index, shippingAddress] of places.entries()) {
        const request = {
          token: customer.token,
          body: basket(99 + index, { shippingAddress, shippingMethod: 'express' }),
        }
        const [quote, order] = [
          await shop.request('POST', '/quotes', request),
          await shop.request('POST', '/orders', request),
        ]
        assert.deepEqual([quote.status, order.status], [201, 201], quote.text)
        assert.deepEqual(chargesOf(order), chargesOf(quote))
        assert.equal(order.body.amounts.tax.amount > 0, index < 2)
      }
    }
  })

  await t.test('two parallel shipping methods with one name get different ids', async () => {
    const { shop, call } = await start()
    const body = { ...FREIGHT, id: 'drone' }
    const { answers } = await shop.db.transaction().execute(async (trx) => {
      await sql`lock table shipping_methods in share row exclusive mode`.execute(trx)
      const answers = [
        call('POST', '/shipping-methods', body),
        call('POST', '/shipping-methods', { ...body, name: 'Other' }),
      ]
      await shop.service.untilBlocked(2)
      return { answers }
    })
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [201, 409])
  })

  await t.test('sample settings fill an empty shop only, and never in production', async () => {
    const { shop } = await start()
    const { clock, config } = shop.service.services
    const { db } = shop
    const seed = () => seedSampleSettings(db, clock.now())
    assert.equal(await seed(), false)
    await db.deleteFrom('shipping_methods').execute()
    await db.deleteFrom('tax_settings').execute()
    const first = { ...config, admin: { ...config.admin, password: undefined } }
    await prepareFirstStart({ ...first, production: true }, shop.service.services, () => undefined)
    assert.deepEqual(await db.selectFrom('shipping_methods').select('id').execute(), [])
    assert.deepEqual((await Promise.all([seed(), seed()])).sort(), [false, true])
    await db.deleteFrom('shipping_methods').execute()
    assert.equal(await seed(), false)
  })
})
