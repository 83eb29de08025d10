import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { ADDRESS, startShop } from '../../factory.ts'
import { addWorkingDays } from '../../order/due-time.ts'
import { fillOrderStatuses } from '../../payments/fill-order-statuses.ts'

async function startTable(t: TestContext) {
  const shop = await startShop(t)
  const operator = (await shop.signUp('operator')).token
  const person = await shop.signUp()
  const designId = await shop.finalizedDesign({ ownerId: person.userId })
  const order = async (shippingMethod = 'standard', externalReference?: string) => {
    const reference = externalReference === undefined ? {} : { externalReference }
    const body = { items: [{ designId, quantity: 2 }], shippingAddress: ADDRESS, shippingMethod, ...reference }
    const answer = await shop.request('POST', '/orders', { token: person.token, body })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const act = async (id: string, action: string, body?: object) => {
    const answer = await shop.request('POST', `/orders/${id}/${action}`, { token: operator, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const page = async (query: Record<string, string>) => {
    const answer = await shop.request('GET', `/production/orders?${new URLSearchParams(query)}`, { token: operator })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const ids = async (query: Record<string, string>): Promise<string[]> =>
    (await page(query)).data.map(({ id }: { id: string }) => id)
  const paid = async (shippingMethod?: string) => {
    const { id } = await order(shippingMethod)
    return act(id, 'payments', { method: 'manual' })
  }
  return { shop, order, paid, act, page, ids }
}

const ALL = 'awaiting_payment,confirmed,in_production,partially_shipped,shipped,delivered,on_hold,cancelled'

test('the queue filters by the status of the payment, also page by page', async (t) => {
  const { shop, order, paid, act, page, ids } = await startTable(t)
  const [unpaid, failed] = [await order(), await order()]
  await sql`update payments set status = 'failed' where order_id = ${failed.id}`.execute(shop.db)
  const [captured, partly, whole] = [await paid(), await paid(), await paid()]
  await act(partly.id, 'refunds', { amount: { amount: 100, currency: 'EUR' } })
  await act(whole.id, 'refunds')
  await act(whole.id, 'start-production')

  const listed = { status: ALL }
  assert.deepEqual(await ids({ ...listed, paymentStatus: 'captured' }), [captured.id])
  assert.deepEqual(await ids({ ...listed, paymentStatus: 'pending,failed' }), [failed.id, unpaid.id])
  assert.deepEqual(await ids({ paymentStatus: 'pending,failed' }), [], 'unpaid orders are not to be produced')
  assert.deepEqual(await ids({ paymentStatus: 'partially_refunded,refunded' }), [whole.id, partly.id])
  assert.deepEqual(await ids({ paymentStatus: 'refunded', status: 'confirmed' }), [])
  assert.deepEqual(await ids({ paymentStatus: 'refunded,captured' }), [whole.id, captured.id])
  assert.deepEqual(await ids({ ...listed, paymentStatus: 'refunded,pending,failed', sort: 'createdAt' }), [
    ...[unpaid.id, failed.id, whole.id],
  ])
  const query = { ...listed, paymentStatus: 'pending,failed,refunded', limit: '2' }
  const first = await page(query)
  const rest = await ids({ ...query, cursor: first.nextCursor })
  assert.deepEqual([...first.data.map(({ id }: { id: string }) => id), ...rest], [whole.id, failed.id, unpaid.id])
})

test('payments of earlier releases are found, also before a job has filled in the status of the order', async (t) => {
  const { shop, order, paid, ids } = await startTable(t)
  const [unpaid, captured, refunded] = [await order(), await paid(), await paid()]
  const found = async () => [
    await ids({ status: 'awaiting_payment,confirmed', paymentStatus: 'pending' }),
    await ids({ status: 'confirmed', paymentStatus: 'captured', sort: 'createdAt' }),
    await ids({ status: 'confirmed,cancelled', paymentStatus: 'pending' }),
  ]
  const expected = [[unpaid.id], [captured.id, refunded.id], []]
  assert.deepEqual(await found(), expected)
  await sql`update payments set order_status = null where order_id = any (${[unpaid.id, captured.id]}::text[])`.execute(
    shop.db,
  )
  assert.deepEqual(await found(), expected)
  await fillOrderStatuses(shop.db)
  const { rows } = await sql`select from payments where order_status is null`.execute(shop.db)
  assert.equal(rows.length, 0)
  assert.deepEqual(await found(), expected)
})

test('the queue sorts by due time and finds late orders until they have left the shop', async (t) => {
  const { shop, order, paid, page, ids } = await startTable(t)
  const { body } = await shop.request('GET', '/shipping-methods', {})
  const longest = (id: string) =>
    body.data.find((method: { id: string }) => method.id === id).estimatedDays.max as number
  assert.ok(longest('express') < longest('standard'))
  const slow = await paid('standard')
  const fast = await paid('express')
  const unpaid = await order()
  assert.equal(unpaid.dueAt, null)
  assert.equal(slow.dueAt, addWorkingDays(new Date(slow.payment.capturedAt), longest('standard')).toISOString())
  assert.deepEqual(await ids({ sort: 'dueAt' }), [fast.id, slow.id])
  assert.deepEqual(await ids({ sort: 'dueAt', status: 'awaiting_payment,confirmed' }), [fast.id, slow.id, unpaid.id])
  const query = { sort: 'dueAt', status: 'awaiting_payment,confirmed', limit: '1' }
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, nextCursor } = await page({ ...query, ...(cursor === '' ? {} : { cursor }) })
    seen.push(...data.map(({ id }: { id: string }) => id))
    cursor = nextCursor
  }
  assert.deepEqual(seen, [fast.id, slow.id, unpaid.id])

  assert.deepEqual(await ids({ late: 'true' }), [])
  const { clock } = shop.service
  clock.shift((Date.parse(fast.dueAt) - clock.now().getTime()) / 1000 + 1)
  const late = async (more: Record<string, string> = {}) => {
    const token = (await shop.signUp('operator')).token
    const path = `/production/orders?${new URLSearchParams({ late: 'true', ...more })}`
    return (await shop.request('GET', path, { token })).body.data.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await late(), [fast.id])
  assert.deepEqual(await late({ sort: 'dueAt', status: 'confirmed,shipped' }), [fast.id])
  assert.deepEqual(await late({ status: 'in_production' }), [])
  const token = (await shop.signUp('operator')).token
  for (const [action, body] of [
    ['start-production', undefined],
    ['shipments', { carrier: 'DHL' }],
  ] as const) {
    await shop.request('POST', `/orders/${fast.id}/${action}`, { token, body })
  }
  assert.deepEqual(await late(), [])
  assert.deepEqual(await late({ status: 'shipped' }), [])
})

test('operators find orders by their external reference and by the reference of the payment', async (t) => {
  const { order, act, ids } = await startTable(t)
  const [web, shop] = [await order('standard', 'web-4711'), await order('standard', 'orders@shop/7')]
  await act(web.id, 'payments', { method: 'manual', reference: 'Invoice 2026/17' })
  assert.deepEqual(await ids({ q: 'web-4711' }), [web.id])
  assert.deepEqual(await ids({ q: 'Invoice 2026/17' }), [web.id])
  assert.deepEqual(await ids({ q: 'orders@shop/7' }), [shop.id])
  assert.deepEqual(await ids({ q: 'web-471' }), [])
})

test('working days skip Saturdays and Sundays', () => {
  const friday = new Date('2026-11-27T15:00:00.000Z')
  const after = (days: number) => addWorkingDays(friday, days).toISOString().slice(0, 10)
  assert.deepEqual([0, 1, 5, 6].map(after), ['2026-11-27', '2026-11-30', '2026-12-04', '2026-12-07'])
  assert.equal(addWorkingDays(new Date('2026-11-28T00:00:00.000Z'), 1).toISOString().slice(0, 10), '2026-11-30')
})
