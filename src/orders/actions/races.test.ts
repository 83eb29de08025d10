import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { addSeconds } from '../../platform/clock.ts'
import { type Action, type Call, type Cast, makeOrder, startCast } from './factory.ts'

/**
 * Sends requests one after the other while the row of the order is locked, and unlocks it when all wait, in this order.
 */
async function inTurn({ shop }: Cast, orderId: string, calls: readonly Call[], whileTheyWait = () => {}) {
  const { answers } = await shop.db.transaction().execute(async (trx) => {
    // Updates the row instead of only locking it, because waiters of an updated row continue with its next version,
    // where other transactions can overtake them.
    await trx.updateTable('orders').set({ updated_at: sql`updated_at` }).where('id', '=', orderId).execute()
    const answers = []
    for (const call of calls) {
      answers.push(shop.request(...call))
      await shop.service.untilBlocked(answers.length)
    }
    whileTheyWait()
    return { answers }
  })
  return Promise.all(answers)
}

/** Two actions on one order. The second action arrives while the first one runs. */
interface Race {
  before: Action[]
  first: Action
  second: Action
  /** HTTP status of the second response. The first action always succeeds. */
  secondGets: number
  status: string
  /** Timeline entries that both actions leave. */
  leaves: string[]
}

const PAID: Action[] = ['record_payment']
const STARTED: Action[] = [...PAID, 'start_production']
const HELD: Action[] = [...PAID, 'hold']
const SHIPPED: Action[] = [...STARTED, 'ship']
const IN_TWO: Action[] = [...STARTED, 'ship_one', 'ship']
const ONE_ARRIVED: Action[] = [...IN_TWO, 'deliver_first']

const race = (
  before: Action[],
  first: Action,
  second: Action,
  secondGets: number,
  status: string,
  leaves: string,
): Race => ({ before, first, second, secondGets, status, leaves: leaves.split(' ') })

const CANCELLED = 'order.cancelled payment.refunded'

const RACES: Race[] = [
  race(PAID, 'cancel', 'start_production', 409, 'cancelled', CANCELLED),
  race(PAID, 'start_production', 'cancel', 409, 'in_production', 'order.in_production'),
  race(PAID, 'cancel', 'hold', 409, 'cancelled', CANCELLED),
  race(PAID, 'hold', 'cancel', 409, 'on_hold', 'order.on_hold'),
  race(PAID, 'hold', 'start_production', 409, 'on_hold', 'order.on_hold'),
  race(PAID, 'start_production', 'hold', 200, 'on_hold', 'order.in_production order.on_hold'),
  race(PAID, 'hold', 'hold', 409, 'on_hold', 'order.on_hold'),
  race(PAID, 'start_production', 'start_production', 409, 'in_production', 'order.in_production'),
  race(PAID, 'cancel', 'cancel', 200, 'cancelled', CANCELLED),
  race([], 'record_payment', 'record_payment', 409, 'confirmed', 'payment.captured order.confirmed'),
  race([], 'cancel', 'record_payment', 409, 'cancelled', 'order.cancelled'),
  race([], 'record_payment', 'cancel', 200, 'cancelled', `payment.captured order.confirmed ${CANCELLED}`),
  race([], 'cancel', 'cancel', 200, 'cancelled', 'order.cancelled'),
  race(HELD, 'release', 'confirm', 409, 'confirmed', 'order.released'),
  race(HELD, 'confirm', 'release', 409, 'confirmed', 'order.released'),
  race(HELD, 'confirm', 'confirm', 409, 'confirmed', 'order.released'),
  race(HELD, 'release', 'release', 409, 'confirmed', 'order.released'),
  race(HELD, 'release', 'start_production', 200, 'in_production', 'order.released order.in_production'),
  race(HELD, 'release', 'cancel', 200, 'cancelled', `order.released ${CANCELLED}`),
  race(STARTED, 'ship', 'ship', 409, 'shipped', 'shipment.created order.shipped'),
  race([...STARTED, 'ship_one'], 'ship_one', 'ship_one', 409, 'shipped', 'shipment.created order.shipped'),
  race(
    STARTED,
    'ship_one',
    'ship',
    201,
    'shipped',
    'shipment.created order.partially_shipped shipment.created order.shipped',
  ),
  race(STARTED, 'ship', 'hold', 409, 'shipped', 'shipment.created order.shipped'),
  race(STARTED, 'hold', 'ship', 409, 'on_hold', 'order.on_hold'),
  race(
    SHIPPED,
    'deliver_first',
    'return_first',
    200,
    'delivered',
    'shipment.delivered order.delivered shipment.returned',
  ),
  race(SHIPPED, 'return_first', 'deliver_first', 409, 'shipped', 'shipment.returned'),
  race(SHIPPED, 'deliver_first', 'deliver_first', 409, 'delivered', 'shipment.delivered order.delivered'),
  race(SHIPPED, 'return_first', 'return_first', 409, 'shipped', 'shipment.returned'),
  race(
    IN_TWO,
    'deliver_first',
    'deliver_second',
    200,
    'delivered',
    'shipment.delivered shipment.delivered order.delivered',
  ),
  race(
    IN_TWO,
    'return_first',
    'deliver_second',
    200,
    'delivered',
    'shipment.returned shipment.delivered order.delivered',
  ),
  race(
    IN_TWO,
    'deliver_first',
    'return_second',
    200,
    'delivered',
    'shipment.delivered shipment.returned order.delivered',
  ),
  race(
    ONE_ARRIVED,
    'return_first',
    'return_second',
    200,
    'delivered',
    'shipment.returned shipment.returned order.delivered',
  ),
]

test('of two parallel actions, the second sees the result of the first', async (t) => {
  const cast = await startCast(t)
  for (const { before, first, second, secondGets, status, leaves } of RACES) {
    await t.test(
      `${first}, then ${second}, ${before.length === 0 ? 'unpaid' : `after ${before.join(', ')}`}`,
      async () => {
        const { id, callOf, read, events } = await makeOrder(cast, before)
        const { timeline } = await read()
        const told = await events()
        const [one, two] = await inTurn(cast, id, [callOf(first), callOf(second)])
        assert.ok(one !== undefined && one.status < 300, `${one?.text}`)
        assert.equal(two?.status, secondGets, `${two?.text}`)
        if (secondGets === 409)
          assert.deepEqual([two?.body.code, two?.body.orderStatus], ['order_action_refused', status])
        const after = await read()
        assert.equal(after.status, status)
        assert.deepEqual(
          after.timeline.slice(timeline.length).map(({ type }: { type: string }) => type),
          leaves,
        )
        const all = await events()
        assert.deepEqual(
          all.map(({ sequence }) => sequence),
          all.map((_, index) => index + 1),
        )
        assert.deepEqual(
          all.slice(told.length).map(({ type }) => type),
          eventsOf(leaves),
        )
      },
    )
  }

  await t.test('two parallel payments charge once', async () => {
    const { id, callOf, events } = await makeOrder(cast, [])
    const answers = await inTurn(cast, id, [callOf('pay'), callOf('pay')])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    assert.deepEqual(
      (await events()).map(({ type }) => type),
      ['order.created', 'payment.captured', 'order.confirmed'],
    )
    const attempts = await cast.shop.db.selectFrom('payment_attempts').select('status').execute()
    assert.deepEqual(attempts, [{ status: 'captured' }])
  })

  await t.test('parallel actions get transaction ids and timestamps in the order of their events', async () => {
    // Without the advisory lock that queues transactions before the row lock, the events of one order in three are out
    // of sequence.
    for (let round = 0; round < 10; round += 1) {
      const { id, callOf, read } = await makeOrder(cast, ['record_payment'])
      const calls = Array.from({ length: 7 }, () => callOf('refund_some'))
      const { clock } = cast.shop.service
      const asked = clock.now()
      await inTurn(cast, id, calls, () => clock.shift(10))
      const { rows } = await sql<{ sequence: number; isOwn: boolean; createdAt: Date }>`
        select sequence, transaction_id::text::bigint % 4294967296 = xmin::text::bigint as "isOwn",
          created_at as "createdAt" from events
        where subject = ${id} order by transaction_id, position`.execute(cast.shop.db)
      assert.deepEqual(
        rows.map(({ sequence, isOwn }) => ({ sequence, isOwn })),
        Array.from({ length: 3 + 7 }, (_, index) => ({ sequence: index + 1, isOwn: true })),
      )
      const { timeline, updatedAt } = await read()
      for (const times of [
        timeline.map(({ at }: { at: string }) => at),
        rows.map(({ createdAt }) => createdAt.toJSON()),
      ]) {
        assert.deepEqual(times, times.toSorted())
        assert.equal(updatedAt, times.at(-1))
        assert.ok(times.slice(-7).every((at: string) => at >= addSeconds(asked, 10).toJSON()))
      }
    }
  })

  await t.test('parallel refunds never exceed the captured amount', async () => {
    const { id, callOf, read } = await makeOrder(cast, ['record_payment'])
    const { amount, currency } = (await read()).amounts.total
    const most = { amount: { amount: Math.ceil(amount * 0.6), currency } }
    const [method, path, options] = callOf('refund')
    const call: Call = [method, path, { ...options, body: most }]
    const answers = await inTurn(cast, id, [call, call])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422])
    assert.deepEqual((await read()).payment.refundedAmount, most.amount)
  })
})

/**
 * Lists the events that belong to entries of the timeline. All orders of this test are put on hold before production,
 * so `order.released` goes with `order.confirmed`.
 */
function eventsOf(entries: readonly string[]): string[] {
  const others: Record<string, string[]> = { 'order.released': ['order.released', 'order.confirmed'] }
  return entries.flatMap((type) => others[type] ?? [type])
}
