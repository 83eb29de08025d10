import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { ADDRESS, startShop } from '../../factory.ts'
import { areFewOrders } from './store.ts'

interface Listed {
  id: string
}

async function startQueue(t: TestContext) {
  const shop = await startShop(t)
  const operator = (await shop.signUp('operator')).token
  const person = await shop.service.signUp({ email: 'grace@navy.example' })
  const designId = await shop.finalizedDesign({ ownerId: person.userId })
  const namedId = await shop.finalizedDesign({ ownerId: person.userId, placeholders: ['name'] })
  const order = async (address: object = {}, { data }: { data?: object } = {}) => {
    const item = data === undefined ? { designId, quantity: 2 } : { designId: namedId, quantity: 2, data }
    const body = { items: [item], shippingAddress: { ...ADDRESS, ...address } }
    const answer = await shop.request('POST', '/orders', { token: person.accessToken, body })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const act = (id: string, action: string, body?: object) =>
    shop.request('POST', `/orders/${id}/${action}`, { token: operator, body })
  const list = (query: Record<string, string>) =>
    shop.request('GET', `/production/orders?${new URLSearchParams(query)}`, { token: operator })
  const ids = async (query: Record<string, string>): Promise<string[]> => {
    const answer = await list(query)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data.map(({ id }: Listed) => id)
  }
  return { shop, order, act, list, ids, customer: person }
}

test('operators list the orders of one customer, and a customer sees only the own ones', async (t) => {
  const { shop, order, ids, customer } = await startQueue(t)
  const own = await order()
  const other = await shop.service.signUp()
  const designId = await shop.finalizedDesign({ ownerId: other.userId })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const { body: others } = await shop.request('POST', '/orders', { token: other.accessToken, body })
  assert.deepEqual(await ids({ customerId: own.customerId, status: 'awaiting_payment' }), [own.id])
  assert.deepEqual(await ids({ customerId: others.customerId, status: 'awaiting_payment' }), [others.id])
  assert.deepEqual(await ids({ customerId: 'nobody', status: 'awaiting_payment' }), [])
  const ownList = async (customerId: string) =>
    (await shop.request('GET', `/orders?customerId=${customerId}`, { token: customer.accessToken })).body.data
  assert.deepEqual(
    (await ownList(own.customerId)).map(({ id }: Listed) => id),
    [own.id],
  )
  assert.deepEqual(await ownList(others.customerId), [])
})

const otherThan = (character: string): string => (character === '7' ? '8' : '7')

test('operators find orders by number, name, company, postal code, email and tracking number', async (t) => {
  const { shop, order, act, ids, list } = await startQueue(t)
  const jane = await order({
    name: 'Jané Müller-Lüdenscheidt',
    company: 'Café Groß',
    country: 'GB',
    city: 'London',
    postalCode: 'SW1A 1AA',
    email: 'Jane.M@example.com',
  })
  const li = await order({ name: 'Li Wu', email: "o'brien@example.com" })
  const yamada = await order({ name: '山田太郎' })
  await act(jane.id, 'payments', { method: 'manual' })
  await act(jane.id, 'start-production')
  await act(jane.id, 'shipments', { carrier: 'DHL', trackingNumber: '0034 0434' })

  const finds: [string, string[]][] = [
    [jane.number, [jane.id]],
    [jane.number.toLowerCase().replaceAll('-', ' '), [jane.id]],
    [jane.number.slice(3).replace('-', ''), [jane.id]],
    [jane.number.slice(8), [jane.id]],
    [jane.number.slice(0, 7), [jane.id]],
    [jane.number.slice(0, 6), [jane.id]],
    [jane.number.slice(0, 9), [jane.id]],
    [jane.number.slice(0, 10), [jane.id]],
    [jane.number.slice(3, 10).toLowerCase(), [jane.id]],
    [jane.number.slice(3, 11).replace('-', ''), [jane.id]],
    [jane.number.slice(8, 11), [jane.id]],
    [`${jane.number.slice(0, 8)}${otherThan(jane.number.charAt(8))}`, []],
    ['muller', [jane.id]],
    ['LÜDEN', [jane.id]],
    ['jane gross', [jane.id]],
    ['jane wu', []],
    ['sw1a 1aa', [jane.id]],
    ['jane.m@example.com', [jane.id]],
    ['jane.m@', [jane.id]],
    ["o'brien@example.com", [li.id]],
    ['grace@navy.example', [yamada.id, li.id, jane.id]],
    ['Grace@Navy.Example', [yamada.id, li.id, jane.id]],
    ['grace@navy', []],
    ['li', [li.id]],
    ['wu', [li.id]],
    ['山田', [yamada.id]],
    ['0034 0434', [jane.id]],
    ['0034', []],
    ["'lo | !ada:*", []],
    ["a\\'@", []],
  ]
  for (const [q, found] of finds) assert.deepEqual(await ids({ q }), found, q)
  assert.deepEqual(await ids({ q: 'grace@navy.example', status: 'shipped,awaiting_payment', limit: '1' }), [yamada.id])
  assert.deepEqual(await ids({ q: 'grace@navy.example', status: 'shipped' }), [jane.id])

  // Characters that decompose to more text than an index entry can hold.
  const { id: unfolding } = await order({ name: '\ufdfa'.repeat(200), company: '\u3316'.repeat(200) })
  assert.deepEqual(await ids({ q: 'キロメ' }), [unfolding])

  for (const q of ['', 'x', '--', 'a\nb', 'x'.repeat(101)]) {
    const { status, body } = await list({ q })
    assert.deepEqual([status, body.code, body.errors[0].parameter], [400, 'validation_failed', 'q'], q)
  }
  // Changes the order as the erasure of an account does. Afterwards the index contains nothing of the customer.
  await sql`update orders set shipping_address = '{"name":"Erased","country":"JP"}' where id = ${yamada.id}`.execute(
    shop.db,
  )
  assert.deepEqual(await ids({ q: '山田' }), [])
})

test('the queue filters by status, period, country, shipping, product and files', async (t) => {
  const { shop, order, act, list, ids } = await startQueue(t)
  const first = await order()
  const abroad = await order({ country: 'FR', postalCode: '75001', city: 'Paris' })
  const named = await order({}, { data: { name: 'Ada' } })
  const failed = await order({}, { data: { name: 'Bob' } })
  const all = [failed, named, abroad, first].map(({ id }) => id)
  await sql`update item_files set status = 'failed', failure = 'drawing_failed', due_at = null where order_id = ${failed.id}`.execute(
    shop.db,
  )

  assert.deepEqual(await ids({}), [])
  for (const { id } of [first, abroad, named, failed]) await act(id, 'payments', { method: 'manual' })
  await act(first.id, 'start-production')
  const { id: unpaid } = await order()
  assert.deepEqual(await ids({}), all)
  assert.deepEqual(await ids({ status: 'awaiting_payment,in_production,awaiting_payment' }), [unpaid, first.id])
  assert.deepEqual(await ids({ sort: 'createdAt' }), all.toReversed())
  assert.deepEqual(await ids({ country: 'FR' }), [abroad.id])
  assert.deepEqual(await ids({ country: 'FR', status: 'in_production' }), [])
  assert.deepEqual(await ids({ shippingMethod: 'express' }), [])
  assert.deepEqual(await ids({ shippingMethod: 'standard', limit: '1' }), [failed.id])
  assert.deepEqual(await ids({ personalization: 'pending' }), [named.id])
  assert.deepEqual(await ids({ personalization: 'failed' }), [failed.id])
  assert.deepEqual(await ids({ createdFrom: abroad.createdAt, createdTo: failed.createdAt }), [named.id, abroad.id])
  assert.deepEqual(await ids({ createdTo: first.createdAt }), [])

  const productId = 'prd_01kaaaaaaaaaaaaaaaaaaaaaaa'
  const variantIds = [first, named].map(({ items }) => items[0].variantId)
  const variants = JSON.stringify(variantIds.slice(0, 1).map((id) => ({ id })))
  await sql`insert into products values (${productId}, 'Card', '', 'active', 'EUR', '[]', '[]', ${variants}, now(), now())`.execute(
    shop.db,
  )
  assert.deepEqual(await ids({ productId }), [abroad.id, first.id])
  assert.deepEqual(await ids({ productId, status: 'in_production' }), [first.id])
  assert.deepEqual(await ids({ productId: 'prd_none' }), [])
  // A product of many orders is not looked up first.
  await sql`
    insert into order_items (id, order_id, position, design_id, finalization_id, price_lock, variant_id, quantity,
      unit_amount, total_amount)
    select id || n, order_id, n, design_id, finalization_id, price_lock, variant_id, quantity, unit_amount, total_amount
    from order_items, generate_series(100, 10100) n where order_id = ${unpaid}`.execute(shop.db)
  assert.equal(await areFewOrders(shop.db, variantIds.slice(0, 1)), false)
  assert.deepEqual(await ids({ productId }), [abroad.id, first.id])
  await sql`delete from order_items where position >= 100`.execute(shop.db)
  assert.equal(await areFewOrders(shop.db, variantIds.slice(0, 1)), true)

  const page = await list({ sort: 'createdAt', limit: '3' })
  assert.deepEqual(
    page.body.data.map(({ id }: Listed) => id),
    all.toReversed().slice(0, 3),
  )
  assert.deepEqual(await ids({ sort: 'createdAt', limit: '3', cursor: page.body.nextCursor }), [failed.id])

  const refused: [Record<string, string>, string][] = [
    [{ status: 'confirmed,lost' }, 'status'],
    [{ status: '' }, 'status'],
    [{ country: 'de' }, 'country'],
    [{ personalization: 'ready' }, 'personalization'],
    [{ sort: 'total' }, 'sort'],
    [{ createdFrom: 'yesterday' }, 'createdFrom'],
    [{ createdTo: '2026-06-30T23:59:60Z' }, 'createdTo'],
    [{ createdFrom: first.createdAt, createdTo: first.createdAt }, 'createdTo'],
  ]
  for (const [query, parameter] of refused) {
    const { status, body } = await list(query)
    assert.deepEqual([status, body.code, body.errors[0].parameter], [400, 'validation_failed', parameter])
  }
})

test('orders with failed files are those whose files can be rendered again', async (t) => {
  const { shop, order, act, ids, list } = await startQueue(t)
  const unpaid = await order({}, { data: { name: 'Ada' } })
  const cancelled = await order({}, { data: { name: 'Bob' } })
  await sql`update item_files set status = 'failed', failure = 'drawing_failed', due_at = null where order_id = ${unpaid.id}`.execute(
    shop.db,
  )
  assert.equal((await act(cancelled.id, 'cancel')).status, 200)
  const { body } = await list({ number: cancelled.number })
  assert.equal(body.data[0].items[0].personalization.status, 'failed')

  const token = (await shop.signUp('operator')).token
  const all = async (query: Record<string, string>): Promise<string[]> =>
    (await shop.request('GET', `/orders?${new URLSearchParams(query)}`, { token })).body.data.map(
      ({ id }: Listed) => id,
    )
  assert.deepEqual(await all({ personalization: 'failed' }), [unpaid.id])
  assert.deepEqual(await all({ personalization: 'failed', q: cancelled.number }), [])
  assert.deepEqual(await ids({ personalization: 'failed', q: cancelled.number }), [])
  assert.deepEqual(await ids({ personalization: 'failed', q: unpaid.number }), [unpaid.id])
  // A caller that names the status sees what was abandoned.
  assert.deepEqual(await all({ personalization: 'failed', status: 'cancelled' }), [cancelled.id])
})
