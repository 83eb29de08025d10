import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type Action, makeOrder, startCast } from '../actions/factory.ts'

async function startBatches(t: TestContext) {
  const cast = await startCast(t)
  const { shop, operator } = cast
  const call = (method: string, path: string, body?: object, { token = operator.token, key = '' } = {}) => {
    const headers = key === '' ? {} : { 'idempotency-key': key }
    return shop.request(method, `/production/batches${path}`, { token, headers, ...(body && { body }) })
  }
  const create = async (orderIds: string[], name?: string) => {
    const answer = await call('POST', '', { orderIds, ...(name === undefined ? {} : { name }) })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const paid = async (...more: Action[]) => (await makeOrder(cast, ['record_payment', ...more])).id
  const read = async (id: string) => (await call('GET', `/${id}`)).body
  const idsOf = async (id: string) => (await read(id)).orders.map(({ orderId }: { orderId: string }) => orderId)
  return { ...cast, call, create, paid, read, idsOf }
}

/** The codes of the errors of a refusal, with the index of the order. */
function faultsOf({ status, body }: { status: number; body: { code: string; errors: Record<string, string>[] } }) {
  assert.deepEqual([status, body.code], [409, 'batch_orders_refused'])
  return body.errors.map(({ code, pointer }) => [code, pointer])
}

test('a batch shows its orders in their order, and their progress', async (t) => {
  const cast = await startBatches(t)
  const { call, create, paid, read, operator, shop } = cast
  const [first, second, third] = [await paid(), await paid('start_production'), await paid()]
  const created = await call('POST', '', { name: 'Monday', orderIds: [third, first, second] })
  assert.equal(created.headers.get('location'), `/v1/production/batches/${created.body.id}`)
  const batch = created.body
  assert.match(batch.id, /^bat_[0-9a-z]{26}$/)
  assert.deepEqual([batch.name, batch.status, batch.orderCount, batch.closedAt], ['Monday', 'open', 3, null])
  assert.deepEqual([batch.progress.confirmed, batch.progress.in_production, batch.progress.shipped], [2, 1, 0])
  const [row] = batch.orders
  const order = (await shop.request('GET', `/orders/${third}`, { token: operator.token })).body
  const { addedAt, ...shown } = row
  assert.equal(typeof addedAt, 'string')
  assert.deepEqual(shown, {
    ...{ orderId: third, orderNumber: order.number, status: 'confirmed', revision: order.revision },
    ...{ recipient: 'Ada Lovelace', items: 1, pieces: 2, printFiles: 'ready' },
  })

  // What happens to an order shows in the batch.
  await shop.request('POST', `/orders/${first}/hold`, { token: operator.token, body: { reason: 'Is this right?' } })
  await shop.request('POST', `/orders/${third}/cancel`, { token: operator.token })
  const orders = [{ id: first }, { id: second }, { id: third }]
  const body = { action: 'ship', carrier: 'DHL', orders }
  await shop.request('POST', '/production/bulk', { token: operator.token, body })
  const { progress, orders: rows } = await read(batch.id)
  assert.deepEqual([progress.on_hold, progress.cancelled, progress.shipped, progress.confirmed], [1, 1, 1, 0])
  assert.deepEqual(
    rows.map(({ status }: { status: string }) => status),
    ['cancelled', 'on_hold', 'shipped'],
  )
  assert.deepEqual((await create([await paid()])).name, null)
})

test('an order is in at most one open batch, and the refusal names the other one', async (t) => {
  const { call, create, paid, idsOf } = await startBatches(t)
  const [taken, free] = [await paid(), await paid()]
  const { id: batchId } = await create([taken], 'Monday')
  const refused = await call('POST', '', { orderIds: [free, taken] })
  assert.deepEqual(faultsOf(refused), [['order_in_other_batch', '/orderIds/1']])
  const [{ batchId: other, batchName }] = refused.body.errors
  assert.deepEqual([other, batchName], [batchId, 'Monday'])
  assert.equal((await call('GET', '')).body.data.length, 1)

  const { id } = await create([free])
  assert.deepEqual(faultsOf(await call('POST', `/${id}/orders`, { orderIds: [taken] })), [
    ['order_in_other_batch', '/orderIds/0'],
  ])
  await call('POST', `/${batchId}/close`, {})
  assert.equal((await call('POST', `/${id}/orders`, { orderIds: [taken] })).status, 200)
  assert.deepEqual([await idsOf(id), await idsOf(batchId)], [[free, taken], [taken]])
})

// Without the unique index, both requests would read that the order is free.
test('two requests at once put an order into one batch only', async (t) => {
  const { shop, call, paid } = await startBatches(t)
  const [first, second] = [await paid(), await paid()]
  const { service, db } = shop
  const requests = await db.transaction().execute(async (trx) => {
    // Both requests wait for the lock of the foreign key, after each has read the state of the orders.
    await trx.selectFrom('orders').select('id').where('id', 'in', [first, second]).forUpdate().execute()
    const requests = [call('POST', '', { orderIds: [first, second] }), call('POST', '', { orderIds: [second, first] })]
    await service.untilBlocked(2)
    return { requests }
  })
  const statuses = (await Promise.all(requests.requests)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [201, 409])
  assert.equal((await call('GET', '')).body.data.length, 1)
})

test('only orders that are paid and not complete are added, all or none', async (t) => {
  const cast = await startBatches(t)
  const { call, create, paid, idsOf } = cast
  const { id: unpaid } = await makeOrder(cast)
  const [cancelled, shipped] = [await paid('cancel'), await paid('start_production', 'ship')]
  const [held, partly] = [await paid('hold'), await paid('start_production', 'ship_one')]
  const orderIds = [held, unpaid, cancelled, 'ord_none', shipped]
  const expected = [
    ['order_not_producible', '/orderIds/1'],
    ['order_not_producible', '/orderIds/2'],
    ['order_not_found', '/orderIds/3'],
    ['order_not_producible', '/orderIds/4'],
  ]
  assert.deepEqual(faultsOf(await call('POST', '', { orderIds })), expected)
  const { id } = await create([partly])
  assert.deepEqual(faultsOf(await call('POST', `/${id}/orders`, { orderIds })), expected)
  assert.deepEqual(await idsOf(id), [partly])
  await call('POST', `/${id}/orders`, { orderIds: [held] })
  assert.deepEqual(await idsOf(id), [partly, held])
})

test('a repeated request changes nothing', async (t) => {
  const { call, create, paid, idsOf } = await startBatches(t)
  const [first, second] = [await paid(), await paid()]
  const key = randomUUID()
  const [once, again] = [
    await call('POST', '', { orderIds: [first] }, { key }),
    await call('POST', '', { orderIds: [first] }, { key }),
  ]
  assert.deepEqual([again.status, again.body.id], [201, once.body.id])
  const { id } = once.body
  await call('POST', `/${id}/orders`, { orderIds: [second, first] })
  assert.equal((await call('POST', `/${id}/orders`, { orderIds: [second, first] })).status, 200)
  assert.deepEqual(await idsOf(id), [first, second])
  for (let sent = 0; sent < 2; sent += 1) {
    assert.equal((await call('DELETE', `/${id}/orders/${first}`)).status, 204)
    assert.deepEqual(await idsOf(id), [second])
  }
  const closed = await call('POST', `/${id}/close`, {})
  const closedAgain = await call('POST', `/${id}/close`, {})
  assert.deepEqual([closedAgain.status, closedAgain.body], [200, closed.body])
  // The order that was removed is free.
  await create([first])
})

test('a closed batch does not change any more, and has at most 200 orders', async (t) => {
  const cast = await startBatches(t)
  const { call, create, paid, shop } = cast
  const [first, second] = [await paid(), await paid()]
  const { id } = await create([first])
  const many = Array.from({ length: 200 }, (_, n) => `ord_${n}`)
  const full = await call('POST', `/${id}/orders`, { orderIds: many })
  assert.deepEqual([full.status, full.body.code], [409, 'batch_full'])
  assert.equal((await call('POST', '', { orderIds: [...many, first] })).status, 400)
  await call('POST', `/${id}/close`, {})
  const add = await call('POST', `/${id}/orders`, { orderIds: [second] })
  const remove = await call('DELETE', `/${id}/orders/${first}`)
  for (const { status, body } of [add, remove]) assert.deepEqual([status, body.code], [409, 'batch_closed'])
  const { body } = await call('GET', `/${id}`)
  assert.deepEqual([body.status, body.orderCount], ['done', 1])
  assert.equal(new Date(body.closedAt).getTime() > shop.service.clock.now().getTime() - 60_000, true)
})

test('the list has open or closed batches, newest first, in pages', async (t) => {
  const { call, create, paid } = await startBatches(t)
  const ids: string[] = []
  for (let made = 0; made < 3; made += 1) ids.unshift((await create([await paid()], `Batch ${made}`)).id)
  const list = async (query: string) => {
    const { body } = await call('GET', `?${query}`)
    return { ids: body.data.map(({ id }: { id: string }) => id), next: body.nextCursor }
  }
  assert.deepEqual((await list('')).ids, ids)
  const first = await list('limit=2')
  assert.deepEqual(first.ids, ids.slice(0, 2))
  assert.deepEqual((await list(`limit=2&cursor=${first.next}`)).ids, ids.slice(2))
  await call('POST', `/${ids[1]}/close`, {})
  assert.deepEqual((await list('status=open')).ids, [ids[0], ids[2]])
  assert.deepEqual((await list('status=done')).ids, [ids[1]])
})

test('the pick lists of a batch are one PDF, in parts of up to 50 orders', async (t) => {
  const cast = await startBatches(t)
  const { call, create, paid } = cast
  const [first, second] = [await paid(), await paid()]
  const { id } = await create([first, second])
  const whole = await call('GET', `/${id}/pick-list`)
  assert.deepEqual([whole.status, whole.headers.get('content-type')], [200, 'application/pdf'])
  assert.equal((await call('GET', `/${id}/pick-list?offset=1`)).status, 200)
  const none = await call('GET', `/${id}/pick-list?offset=2`)
  assert.deepEqual([none.status, none.body.code], [404, 'order_not_found'])
})

test('reading batches needs orders:read, changing them production:write, and both a role of the shop', async (t) => {
  const { call, create, paid, shop, customer } = await startBatches(t)
  const [first, second] = [await paid(), await paid()]
  const { id } = await create([first])
  const { token: reading } = await shop.signUpKey('operator', ['orders:read'])
  const { token: writing } = await shop.signUpKey('operator', ['production:write'])
  const reads = ['', `/${id}`, `/${id}/pick-list`]
  const writes: [string, string, object?][] = [
    ['POST', '', { orderIds: [second] }],
    ['POST', `/${id}/orders`, { orderIds: [first] }],
    ['DELETE', `/${id}/orders/${second}`],
    ['POST', `/${id}/close`, {}],
  ]
  const refusal = async (method: string, path: string, token: string, body?: object) => {
    const answer = await call(method, path, body, { token })
    return answer.status < 300 ? undefined : (answer.body.permission ?? answer.body.code)
  }
  for (const path of reads) {
    assert.equal(await refusal('GET', path, reading), undefined, path)
    assert.equal(await refusal('GET', path, writing), 'orders:read', path)
    assert.equal(await refusal('GET', path, customer.token), 'insufficient_role', path)
  }
  for (const [method, path, body] of writes) {
    assert.equal(await refusal(method, path, reading, body), 'production:write', path)
    assert.equal(await refusal(method, path, customer.token, body), 'insufficient_role', path)
    assert.equal(await refusal(method, path, writing, body), undefined, path)
  }
  for (const path of [`/bat_none`, `/${first}`]) {
    assert.deepEqual((await call('GET', path)).body.code, 'batch_not_found')
  }
})
