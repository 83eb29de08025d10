import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { makeOrder, startCast } from '../../actions/factory.ts'
import { isWorthRepeating, runEach } from './run-each.ts'

async function startBulk(t: TestContext) {
  const cast = await startCast(t)
  const { shop, operator } = cast
  const bulk = async (body: object, { token = operator.token, key }: { token?: string; key?: string } = {}) => {
    const headers = key === undefined ? {} : { 'idempotency-key': key }
    return shop.request('POST', '/production/bulk', { token, body, headers })
  }
  /** Runs an action on orders. Returns the outcome of each, or the code of its failure. */
  const outcomes = async (body: object, options?: { key?: string }): Promise<string[]> => {
    const answer = await bulk(body, options)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.results.map(
      ({ outcome, failure }: { outcome: string; failure?: { code: string } }) => failure?.code ?? outcome,
    )
  }
  const read = async (id: string) => (await shop.request('GET', `/orders/${id}`, { token: operator.token })).body
  const timelineOf = async (id: string): Promise<string[]> =>
    (await read(id)).timeline.map(({ type }: { type: string }) => type)
  return { ...cast, bulk, outcomes, read, timelineOf }
}

const named = (...ids: string[]) => ids.map((id) => ({ id }))

test('each order is changed on its own, and fails with the problem of the single action', async (t) => {
  const cast = await startBulk(t)
  const { shop, operator, bulk, read } = cast
  const [unpaid, paid, held] = [
    await makeOrder(cast, []),
    await makeOrder(cast, ['record_payment']),
    await makeOrder(cast, ['record_payment', 'hold']),
  ]
  const orders = named(unpaid.id, 'ord_none', paid.id, held.id)
  const { status, body } = await bulk({ action: 'start_production', orders })
  assert.equal(status, 200)
  const singly = []
  for (const id of [unpaid.id, 'ord_none', held.id]) {
    const { body } = await shop.request('POST', `/orders/${id}/start-production`, { token: operator.token })
    singly.push({ code: body.code, title: body.title, status: body.status, detail: body.detail })
  }
  const [first, second, done, last] = body.results
  assert.deepEqual([first.failure, second.failure, last.failure], singly)
  const { revision, availableActions } = await read(paid.id)
  assert.deepEqual(done, {
    ...{ orderId: paid.id, outcome: 'done', orderStatus: 'in_production' },
    ...{ revision, availableActions },
  })
  assert.deepEqual([(await read(unpaid.id)).status, (await read(held.id)).status], ['awaiting_payment', 'on_hold'])
})

test('an order in the wanted state counts as done, and no repetition changes it', async (t) => {
  const cast = await startBulk(t)
  const { outcomes, read, timelineOf } = cast
  const { id } = await makeOrder(cast, ['record_payment'])
  const orders = named(id)
  const steps: [object, string[]][] = [
    [{ action: 'hold', reason: 'Is this right?' }, ['order.on_hold']],
    [{ action: 'release' }, ['order.released']],
    [{ action: 'start_production' }, ['order.in_production']],
    [{ action: 'ship', carrier: 'DHL' }, ['shipment.created', 'order.shipped']],
    [{ action: 'deliver' }, ['shipment.delivered', 'order.delivered']],
  ]
  for (const [step, entries] of steps) {
    const before = await timelineOf(id)
    assert.deepEqual(await outcomes({ ...step, orders }), ['done'])
    assert.deepEqual((await timelineOf(id)).slice(before.length), entries)
    assert.deepEqual(await outcomes({ ...step, orders }), ['unchanged'])
    assert.equal((await timelineOf(id)).length, before.length + entries.length)
  }
  assert.equal((await read(id)).shipments.length, 1)
  assert.deepEqual(await outcomes({ action: 'start_production', orders }), ['unchanged'])
  assert.deepEqual(await outcomes({ action: 'ship', carrier: 'DHL', orders }), ['unchanged'])
  assert.deepEqual(await outcomes({ action: 'release', orders }), ['order_action_refused'])
})

test('a parcel with a tracking number is recorded once, and another one for a complete order is refused', async (t) => {
  const cast = await startBulk(t)
  const { outcomes, read } = cast
  const { id } = await makeOrder(cast, ['record_payment', 'start_production', 'ship_one'])
  const ship = (trackingNumber: string) =>
    outcomes({ action: 'ship', carrier: 'DHL', orders: [{ id, trackingNumber, trackingUrl: 'https://dhl.example/1' }] })
  assert.deepEqual(await ship('JJD1'), ['done'])
  assert.deepEqual(await ship('JJD1'), ['unchanged'])
  assert.deepEqual(await ship('JJD2'), ['order_action_refused'])
  const { shipments } = await read(id)
  assert.deepEqual(
    shipments.map(({ trackingNumber, trackingUrl }: Record<string, string>) => [trackingNumber, trackingUrl]),
    [
      [null, null],
      ['JJD1', 'https://dhl.example/1'],
    ],
  )
  assert.deepEqual(await outcomes({ action: 'deliver', orders: named(id) }), ['done'])
  assert.equal((await read(id)).status, 'delivered')
})

// Without the check of the state under the lock, both requests would ship what they have read as unshipped.
test('two requests with the same orders ship each of them once', async (t) => {
  const cast = await startBulk(t)
  const { shop, bulk, read } = cast
  const { id } = await makeOrder(cast, ['record_payment', 'start_production'])
  const body = { action: 'ship', carrier: 'DHL', orders: named(id) }
  const requests = await shop.db.transaction().execute(async (trx) => {
    await trx.selectFrom('orders').select('id').where('id', '=', id).forUpdate().execute()
    const requests = [bulk(body), bulk(body)]
    await shop.service.untilBlocked(2)
    return { requests }
  })
  const results = (await Promise.all(requests.requests)).map(({ body: { results } }) => results[0].outcome)
  assert.deepEqual(results.sort(), ['done', 'unchanged'])
  assert.equal((await read(id)).shipments.length, 1)
})

test('an order that has changed since the client read it is not changed', async (t) => {
  const cast = await startBulk(t)
  const { outcomes, read } = cast
  const [changed, same] = [await makeOrder(cast, ['record_payment']), await makeOrder(cast, ['record_payment'])]
  const [{ revision: before }, { revision }] = [await read(changed.id), await read(same.id)]
  await cast.shop.request('POST', `/orders/${changed.id}/notes`, {
    token: cast.operator.token,
    body: { text: 'Wait.' },
  })
  const orders = [
    { id: changed.id, revision: before },
    { id: same.id, revision },
  ]
  const body = { action: 'start_production', orders }
  assert.deepEqual(await outcomes(body), ['precondition_failed', 'done'])
  assert.equal((await read(changed.id)).status, 'confirmed')
  // The first request has increased the revision, so a repetition must not compare it.
  assert.deepEqual(await outcomes(body), ['precondition_failed', 'unchanged'])
})

test('a request with a key is replayed, unless it could not finish', async (t) => {
  const cast = await startBulk(t)
  const { bulk, outcomes } = cast
  const { id } = await makeOrder(cast, ['record_payment'])
  const key = randomUUID()
  const body = { action: 'hold', reason: 'Is this right?', orders: named(id) }
  assert.deepEqual(await outcomes(body, { key }), ['done'])
  assert.deepEqual(await outcomes({ action: 'release', orders: named(id) }), ['done'])
  const replayed = await bulk(body, { key })
  assert.deepEqual([replayed.headers.get('idempotent-replayed'), replayed.body.results[0].outcome], ['true', 'done'])
  assert.equal((await cast.read(id)).status, 'confirmed')
  assert.equal((await bulk({ ...body, reason: 'Another.' }, { key })).body.code, 'idempotency_key_reused')
})

test('the items that the time of a request does not suffice for are not started, and can be repeated', async () => {
  const started: number[] = []
  const log = { error: () => assert.fail() }
  const attempts = await runEach([1, 2], async (item) => started.push(item), { log, workMs: 0 })
  assert.deepEqual(started, [])
  assert.deepEqual(
    attempts.map((one) => 'problem' in one && one.problem.code),
    ['service_unavailable', 'service_unavailable'],
  )
  assert.equal(isWorthRepeating(attempts), true)
  assert.equal(isWorthRepeating([{ result: 1 }]), false)
})

test('each action needs its permission, also with a staff role and with a key', async (t) => {
  const cast = await startBulk(t)
  const { shop, bulk } = cast
  const { id } = await makeOrder(cast, ['record_payment', 'start_production'])
  const packer = await shop.signUp('operator')
  const admin = await shop.signUp('admin')
  await shop.request('PATCH', `/users/${packer.userId}`, { token: admin.token, body: { staffRole: 'packing' } })
  const { token: key } = await shop.signUpKey('operator', ['orders:read', 'production:write'])
  const hold = { action: 'hold', reason: 'Is this right?', orders: named(id) }
  const ship = { action: 'ship', carrier: 'DHL', orders: named(id) }
  const refused = async (body: object, token: string) => {
    const answer = await bulk(body, { token })
    return [answer.status, answer.body.code, answer.body.permission]
  }
  assert.deepEqual(await refused(hold, packer.token), [403, 'insufficient_scope', 'production:write'])
  assert.deepEqual(await refused(ship, key), [403, 'insufficient_scope', 'shipping:write'])
  assert.equal((await bulk(ship, { token: packer.token })).body.results[0].outcome, 'done')
  assert.deepEqual(await refused(ship, cast.customer.token), [403, 'insufficient_role', undefined])
})

test('a request names 1 to 200 orders, each once, with the members of its action', async (t) => {
  const { bulk } = await startBulk(t)
  const faults: [object, string][] = [
    [{ action: 'release', orders: [] }, '/orders'],
    [{ action: 'release', orders: named('a', 'b', 'a') }, '/orders/2/id'],
    [{ action: 'release', orders: named(...Array.from({ length: 201 }, (_, n) => `${n}`)) }, '/orders'],
    [{ action: 'ship', orders: named('a') }, '/carrier'],
    [{ action: 'hold', orders: named('a') }, '/reason'],
    [{ action: 'refund', orders: named('a') }, '/action'],
    [{ action: 'release', orders: [{ id: 'a', trackingNumber: '1' }] }, '/orders/0/trackingNumber'],
  ]
  for (const [body, pointer] of faults) {
    const answer = await bulk(body)
    assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [400, pointer], JSON.stringify(answer.body))
  }
})
