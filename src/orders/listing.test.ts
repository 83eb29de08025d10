import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS, startShop } from './factory.ts'

test('filters of metadata select orders in the lists of customers and operators', async (t) => {
  const shop = await startShop(t)
  const [customer, operator] = [await shop.signUp(), await shop.signUp('operator')]
  const order = async (metadata: object): Promise<string> => {
    const items = [{ designId: await shop.finalizedDesign({ ownerId: customer.userId }), quantity: 1 }]
    const body = { items, shippingAddress: ADDRESS, metadata }
    return (await shop.request('POST', '/orders', { token: customer.token, body })).body.id
  }
  const [web, app] = [await order({ channel: 'web', size: 7 }), await order({ channel: 'app', size: 7 })]
  await order({})
  const find = async (path: string, query: string, { token } = customer) => {
    const answer = await shop.request('GET', `${path}?${query}`, { token })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await find('/orders', 'metadata[channel]=web'), [web])
  assert.deepEqual(await find('/orders', 'metadata[size]=7&status=awaiting_payment'), [app, web])
  assert.deepEqual(await find('/orders', 'metadata[size]=7&metadata[channel]=app'), [app])
  assert.deepEqual(await find('/orders', 'metadata[size]=7&status=confirmed'), [])
  const unpaid = 'status=awaiting_payment,confirmed'
  assert.deepEqual(await find('/production/orders', `metadata[channel]=app&${unpaid}`, operator), [app])
  assert.deepEqual(await find('/production/orders', 'metadata[channel]=app', operator), [])
  const faulty = await shop.request('GET', '/orders?metadata[]=1', { token: customer.token })
  assert.deepEqual([faulty.status, faulty.body.errors[0].parameter], [400, 'metadata[]'])
})

test('a summary of an order leaves out timeline and notes, and still states the last hold', async (t) => {
  const shop = await startShop(t)
  const operator = await shop.signUp('operator')
  const { token, order } = await shop.order()
  const act = (action: string, body?: object) =>
    shop.request('POST', `/orders/${order.id}/${action}`, { token: operator.token, body })
  await act('payments', { method: 'manual' })
  await act('hold', { reason: 'first' })
  await act('release')
  await act('hold', { reason: 'second' })
  for (const [path, caller] of [
    ['/orders', token],
    ['/production/orders', operator.token],
  ] as const) {
    const [full] = (await shop.request('GET', path, { token: caller })).body.data
    const [summary] = (await shop.request('GET', `${path}?view=summary`, { token: caller })).body.data
    const { timeline, notes: _, ...rest } = full
    assert.equal(timeline.at(-1).type, 'order.on_hold')
    assert.equal(rest.hold.reason, 'second')
    assert.deepEqual(summary, rest)
  }
})

test('GET /orders has the filters of the queue, for operators on all orders and for customers on their own', async (t) => {
  const shop = await startShop(t)
  const [ada, grace, operator] = [await shop.signUp(), await shop.signUp(), await shop.signUp('operator')]
  const order = async (owner: typeof ada, address: object): Promise<{ id: string; number: string }> => {
    const items = [{ designId: await shop.finalizedDesign({ ownerId: owner.userId }), quantity: 1 }]
    const body = { items, shippingAddress: { ...ADDRESS, ...address } }
    return (await shop.request('POST', '/orders', { token: owner.token, body })).body
  }
  const first = await order(ada, { name: 'Ada Lovelace' })
  const second = await order(grace, { name: 'Grace Hopper', email: 'grace@example.com' })
  const paid = await order(ada, { name: 'Ada King' })
  await shop.request('POST', `/orders/${paid.id}/payments`, { token: operator.token, body: { method: 'manual' } })
  const find = async ({ token }: typeof ada, query = ''): Promise<string[]> => {
    const answer = await shop.request('GET', `/orders?${query}`, { token })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await find(operator), [paid.id, second.id, first.id])
  assert.deepEqual(await find(operator, 'status=confirmed,on_hold'), [paid.id])
  assert.deepEqual(await find(operator, 'q=ada'), [paid.id, first.id])
  assert.deepEqual(await find(operator, 'sort=createdAt&limit=1'), [first.id])
  assert.deepEqual(await find(operator, `number=${second.number.toLowerCase()}`), [second.id])
  assert.deepEqual(await find(ada), [paid.id, first.id])
  assert.deepEqual(await find(ada, 'q=hopper'), [])
  assert.deepEqual(await find(ada, 'q=ada%20love'), [first.id])
  assert.deepEqual(await find(ada, 'q=grace@example.com'), [])
  assert.deepEqual(await find(ada, `number=${second.number}`), [])
  assert.deepEqual(await find(ada, `q=${first.number.slice(0, 10)}`), [first.id])
  assert.deepEqual(await find(ada, `q=${second.number.slice(0, 10)}`), [])
  assert.deepEqual(await find(ada, 'status=awaiting_payment'), [first.id])
  const { body: listed } = await shop.request('GET', '/orders?limit=1', { token: operator.token })
  const { body: queued } = await shop.request('GET', '/production/orders?limit=1', { token: operator.token })
  assert.deepEqual(listed.data, queued.data)
  const wrong = await shop.request('GET', '/orders?number=PL-0000-0001', { token: ada.token })
  assert.deepEqual([wrong.status, wrong.body.code], [400, 'order_number_invalid'])
})
