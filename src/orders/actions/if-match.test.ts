import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Action, type Call, makeOrder, startCast } from './factory.ts'

const PAID: Action[] = ['record_payment']
const STARTED: Action[] = [...PAID, 'start_production']

/** Every action of operators, after the actions that make it possible. */
const ACTIONS: readonly [before: Action[], action: Action][] = [
  [[], 'record_payment'],
  [[], 'cancel_by_operator'],
  [PAID, 'cancel_by_operator'],
  [PAID, 'hold'],
  [[...PAID, 'hold'], 'release'],
  [PAID, 'start_production'],
  [STARTED, 'ship_one'],
  [[...STARTED, 'ship'], 'deliver_first'],
  [[...STARTED, 'ship'], 'return_first'],
  [PAID, 'refund_some'],
]

function expecting([method, path, options]: Call, etag: string): Call {
  return [method, path, { ...options, headers: { 'If-Match': etag } }]
}

test('an action on an order that has changed since it was read is refused with the present order', async (t) => {
  const cast = await startCast(t)
  const { request } = cast.shop
  for (const [before, action] of ACTIONS) {
    await t.test(`${action} after ${before.join(', ') || 'nothing'}`, async () => {
      const { id, callOf, read, events } = await makeOrder(cast, before)
      const shown = await request('GET', `/orders/${id}`, { token: cast.operator.token })
      const etag = shown.headers.get('etag') ?? ''
      assert.equal(etag, `"${shown.body.revision}"`)
      const told = await events()
      const stale = await request(...expecting(callOf(action), `"${shown.body.revision - 1}"`))
      assert.deepEqual([stale.status, stale.body.code, stale.headers.get('etag')], [412, 'precondition_failed', etag])
      assert.deepEqual(stale.body.order, shown.body)
      assert.deepEqual([await events(), await read('operator')], [told, shown.body], 'nothing changed')

      const done = await request(...expecting(callOf(action), etag))
      assert.ok(done.status < 300, done.text)
      const after = await request('GET', `/orders/${id}`, { token: cast.operator.token })
      assert.ok(after.body.revision > shown.body.revision)
      const isOrder = done.body.number !== undefined
      if (isOrder) assert.equal(done.headers.get('etag'), after.headers.get('etag'))
    })
  }
})

test('of two operators who act on the same version at once, only the first one succeeds', async (t) => {
  const cast = await startCast(t)
  const { shop } = cast
  const { id, callOf, read } = await makeOrder(cast, PAID)
  const { revision } = await read('operator')
  const answers = await shop.db.transaction().execute(async (trx) => {
    await trx.selectFrom('orders').select('id').where('id', '=', id).forUpdate().execute()
    const sent = []
    for (const action of ['start_production', 'hold'] as const) {
      sent.push(shop.request(...expecting(callOf(action), `"${revision}"`)))
      await shop.service.untilBlocked(sent.length)
    }
    return { sent }
  })
  const [first, second] = await Promise.all(answers.sent)
  assert.deepEqual([first?.status, second?.status], [200, 412])
  assert.equal(second?.body.order.status, 'in_production')
})

test('a repeated request with an idempotency key gets its response, although its If-Match is outdated', async (t) => {
  const cast = await startCast(t)
  const { callOf, read } = await makeOrder(cast, PAID)
  const { revision } = await read('operator')
  const [method, path, options] = callOf('start_production')
  const headers = { 'If-Match': `"${revision}"`, 'Idempotency-Key': 'start-once' }
  const call: Call = [method, path, { ...options, headers }]
  const first = await cast.shop.request(...call)
  const again = await cast.shop.request(...call)
  assert.deepEqual([first.status, again.status, again.body], [200, 200, first.body])
  assert.equal(again.headers.get('etag'), first.headers.get('etag'))
  const after = await read('operator')
  assert.equal(again.headers.get('etag'), `"${after.revision}"`)
})
