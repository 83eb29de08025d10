import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { startShop } from '../factory.ts'

test('the simulator moves an order from payment to return, with the events of a real shop', async (t) => {
  const shop = await startShop(t)
  const { order, token } = await shop.order({ quantity: 3 })
  const path = `/dev/orders/${order.id}/advance`
  const advance = (step?: string, headers = {}) =>
    shop.request('POST', path, { token, headers, ...(step === undefined ? {} : { body: { step } }) })
  const way: [step: string | undefined, status: string, last: string, reason?: string][] = [
    [undefined, 'confirmed', 'order.confirmed'],
    ['delay', 'on_hold', 'order.on_hold', 'A material has not arrived. Production continues in a few days.'],
    [undefined, 'confirmed', 'order.released'],
    [undefined, 'in_production', 'order.in_production'],
    ['hold', 'on_hold', 'order.on_hold', 'Is the shipping address complete? The carrier does not know it.'],
    ['release', 'in_production', 'order.released'],
    ['ship_part', 'partially_shipped', 'order.partially_shipped'],
    ['damage', 'partially_shipped', 'shipment.returned', 'The parcel was damaged on its way.'],
    [undefined, 'shipped', 'order.shipped'],
    [undefined, 'delivered', 'order.delivered'],
    ['return', 'delivered', 'shipment.returned', 'The customer sent the parcel back.'],
  ]
  for (const [step, status, last, reason] of way) {
    const { status: code, body, text } = await advance(step)
    assert.equal(code, 200, `${step}: ${text}`)
    const entry = body.timeline.at(-1)
    assert.deepEqual([body.status, entry.type, entry.reason], [status, last, reason], `${step}`)
    assert.equal(entry.by, last === 'order.confirmed' ? 'customer' : 'operator')
    if (step === 'hold') assert.equal(body.hold.resolution, 'address')
  }
  const { body } = await shop.request('GET', `/orders/${order.id}`, { token })
  assert.deepEqual(
    body.shipments.map((one: { status: string; items: { quantity: number }[] }) => [
      one.status,
      one.items[0]?.quantity,
    ]),
    [
      ['returned', 2],
      ['returned', 1],
    ],
  )
  const rows = await shop.db
    .selectFrom('events')
    .select('type')
    .where('subject', '=', order.id)
    .orderBy('sequence')
    .execute()
  const types = rows.map(({ type }) => type)
  for (const type of ['payment.captured', 'order.on_hold', 'shipment.created', 'order.shipped', 'order.delivered']) {
    assert.ok(types.includes(type), type)
  }
  const end = await advance()
  assert.deepEqual([end.status, end.body.code, end.body.orderStatus], [409, 'order_action_refused', 'delivered'])

  await t.test(
    'the simulator refuses impossible steps and orders of others, and repeats a request safely',
    async () => {
      const { order, token } = await shop.order({ quantity: 1 })
      const advance = (body: object | undefined, { as = token, headers = {} } = {}) =>
        shop.request('POST', `/dev/orders/${order.id}/advance`, {
          token: as,
          headers,
          ...(body === undefined ? {} : { body }),
        })
      for (const step of ['start_production', 'ship', 'ship_part', 'deliver', 'return', 'damage', 'delay', 'release']) {
        const { status, body } = await advance({ step })
        assert.deepEqual([status, body.code, body.orderStatus], [409, 'order_action_refused', 'awaiting_payment'], step)
      }
      for (const body of [{ step: 'lose' }, { Step: 'pay' }]) assert.equal((await advance(body)).status, 400)
      const stranger = (await shop.signUp()).token
      assert.equal((await advance(undefined, { as: stranger })).body.code, 'order_not_found')
      const reader = (await shop.signUpKey('customer', ['orders:read'])).token
      assert.equal((await advance(undefined, { as: reader })).status, 403)

      const key = { 'idempotency-key': 'step-1' }
      const paid = await advance({ step: 'pay' }, { headers: key })
      const again = await advance({ step: 'pay' }, { headers: key })
      assert.deepEqual([again.status, again.body, again.headers.get('idempotent-replayed')], [200, paid.body, 'true'])
      const operator = (await shop.signUp('operator')).token
      assert.equal((await advance(undefined, { as: operator, headers: key })).body.status, 'in_production')
      assert.equal((await advance(undefined, { as: operator, headers: key })).body.status, 'in_production')
      assert.equal(
        (await advance({ step: 'ship_part' })).body.detail,
        'Only one piece is unshipped, so it cannot be split into two parcels.',
      )
    },
  )
})

test('the simulator exists only where all orders are tests', async (t) => {
  for (const env of [
    { PLATEN_PAYMENT_PROVIDER: 'manual' },
    { PLATEN_DATABASE_URL: 'postgresql://shop.example/platen' },
  ]) {
    const { signUp, request } = await startService(t, { env })
    const { accessToken: token } = await signUp()
    const { status, body } = await request('POST', '/dev/orders/ord_none/advance', { token })
    assert.deepEqual([status, body.code], [404, 'not_found'])
  }
})
