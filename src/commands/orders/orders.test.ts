import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { ADDRESS, type Shop, startShop } from '../../orders/factory.ts'
import { databaseUrl, platenHere } from '../platen.fixture.ts'

/** Sets the environment of `platen orders` to the database and the files of a running shop. */
function openTerminal(t: TestContext, { service }: Shop) {
  const settings = {
    PLATEN_DATABASE_URL: databaseUrl(service.services.database.pool.options),
    PLATEN_DATA_DIR: service.config.dataDir,
    PLATEN_PAYMENT_PROVIDER: 'test',
    PLATEN_LOG_LEVEL: 'silent',
  }
  Object.assign(process.env, settings)
  t.after(() => {
    for (const name of Object.keys(settings)) delete process.env[name]
  })
  return (...args: string[]) => platenHere(['orders', ...args])
}

test('an operator advances an order from payment to return, under the rules of the API', async (t) => {
  const shop = await startShop(t)
  const platen = openTerminal(t, shop)
  const { order, token } = await shop.order({ quantity: 2 })
  const { number } = order
  const read = async () => (await shop.request('GET', `/orders/${order.id}`, { token })).body

  const early = await platen('start', number)
  assert.deepEqual([early.code, early.out], [1, ''])
  assert.equal(
    early.err,
    'Action not allowed in the current state of the order. The order is awaiting_payment. This action is possible only while it is confirmed.\n',
  )
  const steps: [string[], string][] = [
    [['record-payment', number.toLowerCase().replaceAll('-', ''), '--reference', 'cash'], 'confirmed'],
    [['hold', number, '--reason', 'Which floor?'], 'on_hold'],
    [['release', order.id], 'confirmed'],
    [['start', number], 'in_production'],
    [['ship', number, '--carrier', 'DHL', '--tracking', '0034'], 'shipped'],
    [['deliver', number], 'delivered'],
    [['return', number, '--reason', 'Wrong colour'], 'delivered'],
    [['refund', number, '--amount', '1.05', '--reason', 'Scratched'], 'delivered'],
    [['refund', number], 'delivered'],
  ]
  for (const [args, status] of steps) {
    const { code, out, err } = await platen(...args)
    assert.deepEqual([code, out, err], [0, `${number} is ${status}.\n`, ''], args.join(' '))
  }
  const body = await read()
  assert.deepEqual(
    body.timeline
      .slice(1)
      .map(({ type, by, reason }: { type: string; by: string; reason?: string }) => [type, by, reason]),
    [
      ['payment.captured', 'operator', undefined],
      ['order.confirmed', 'operator', undefined],
      ['order.on_hold', 'operator', 'Which floor?'],
      ['order.released', 'operator', undefined],
      ['order.in_production', 'operator', undefined],
      ['shipment.created', 'operator', undefined],
      ['order.shipped', 'operator', undefined],
      ['shipment.delivered', 'operator', undefined],
      ['order.delivered', 'operator', undefined],
      ['shipment.returned', 'operator', 'Wrong colour'],
      ['payment.refunded', 'operator', 'Scratched'],
      ['payment.refunded', 'operator', undefined],
    ],
  )
  assert.equal(body.payment.refunds[0].amount.amount, 105)
  assert.deepEqual([body.payment.status, body.shipments[0].trackingNumber], ['refunded', '0034'])
  const shown = await platen('show', number)
  for (const part of [
    number,
    order.id,
    'delivered',
    `total     ${(order.amounts.total.amount / 100).toFixed(2)} EUR; payment refunded`,
    ADDRESS.name,
    'DHL 0034',
    'Wrong colour',
    'refunded',
  ]) {
    assert.ok(shown.out.includes(part), `${part}: ${shown.out}`)
  }
  const json = JSON.parse((await platen('show', number, '--json')).out)
  assert.deepEqual(
    [json.number, json.customerId, json.items[0].receipt],
    [number, order.customerId ?? json.customerId, 'a.b.c'],
  )

  await t.test('refunds a payment through the provider that captured it', async () => {
    const { order: paid, token: payer } = await shop.order()
    await shop.request('POST', `/orders/${paid.id}/pay`, { token: payer, body: { token: 'test_ok' } })
    assert.equal((await platen('cancel', paid.number, '--reason', 'Sold out')).out, `${paid.number} is cancelled.\n`)
    const { body: cancelled } = await shop.request('GET', `/orders/${paid.id}`, { token: payer })
    assert.deepEqual([cancelled.payment.status, cancelled.payment.method], ['refunded', 'test'])
  })

  await t.test('lists orders with the filters of the API', async () => {
    const { order: waiting } = await shop.order()
    assert.equal((await platen('list')).out, '')
    const { out } = await platen('list', '--status', 'awaiting_payment')
    assert.match(out, new RegExp(`^${waiting.number}  awaiting_payment .* \\d+\\.\\d\\d EUR  Ada Lovelace, DE\\n$`))
    const found = await platen('list', '--q', 'lovel', '--limit', '2', '--json')
    assert.deepEqual(JSON.parse(found.out).data.length, 2)
    const bad = await platen('list', '--status', 'lost')
    assert.deepEqual([bad.code, bad.out], [1, ''])
    assert.match(bad.err, /^Request does not match its schema\..*\n {2}status: This must match pattern/)
  })

  await t.test("escapes customers' text, also in JSON", async () => {
    const hostile = 'Eve\u009b2K\u202etxet\u2066\u200f\u061c\u007f\r\nPL-0000-0000'
    await sql`update orders set shipping_address = jsonb_set(shipping_address::jsonb, '{name}', to_jsonb(${hostile}::text))::json`.execute(
      shop.db,
    )
    for (const args of [
      ['list', '--status', 'awaiting_payment'],
      ['show', number],
    ]) {
      const { code, out } = await platen(...args)
      assert.deepEqual(
        [code, out.includes('Eve\\u{9b}2K\\u{202e}txet\\u{2066}\\u{200f}\\u{61c}\\u{7f}\\u{d}\\u{a}PL-0000')],
        [0, true],
      )
      assert.doesNotMatch(out.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_Control}]/u)
    }
    const { out } = await platen('show', number, '--json')
    assert.doesNotMatch(out.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_Control}]/u)
    assert.equal(JSON.parse(out).shippingAddress.name, hostile)
  })

  await t.test('writes the pick list of a paid order to a file, not to a terminal', async () => {
    const { order: unpaid } = await shop.order()
    const refused = await platen('pick-list', unpaid.number)
    assert.deepEqual([refused.code, refused.out], [1, ''])
    assert.match(refused.err, /not paid yet/)
    const { bytes, code } = await platen('pick-list', number)
    assert.deepEqual([code, bytes.subarray(0, 5).toString()], [0, '%PDF-'])
    const shown = await platenHere(['orders', 'pick-list', number], { isTTY: true })
    assert.deepEqual([shown.code, shown.out], [2, ''])
    assert.match(shown.err, /Redirect it: platen orders pick-list/)
  })

  await t.test('a rejected action prints its reason and changes nothing', async () => {
    const before = await read()
    const misused: [string[], RegExp][] = [
      [['hold', number], /Required option '--reason <text>' not specified/],
      [['hold', number, '--reason', '--json'], /Expected a value before the next option/],
      [['ship', number, '--tracking', '1'], /Required option '--carrier <name>' not specified/],
      [['release', number, '--reason', 'x'], /Unknown option '--reason'/],
      [['deliver', number, '--carrier', 'x'], /Unknown option '--carrier'/],
    ]
    for (const [args, message] of misused) {
      const { code, out, err } = await platen(...args)
      assert.deepEqual([code, out], [2, ''], args.join(' '))
      assert.match(err, message)
    }
    const refused: [string[], RegExp][] = [
      [['show', 'PL-0000-0001'], /^Order not found\./],
      [['show', 'ord_none'], /^Order not found\./],
      [['hold', number, '--reason', 'a\u0000b'], /\n {2}reason: /],
      [['refund', number, '--amount', '1.234'], /Expected an amount of EUR with at most 2 decimals, such as 12\.50\./],
      [['refund', number, '--amount', '0'], /amount: This must be >= 1/],
      [['deliver', number], /The order has no shipment in a matching status\./],
      [['return', number, '--shipment', 'shp_none'], /^Shipment not found in this order\./],
    ]
    for (const [args, message] of refused) {
      const { code, out, err } = await platen(...args)
      assert.deepEqual([code, out], [1, ''], args.join(' '))
      assert.match(err, message)
    }
    assert.deepEqual(await read(), before)
  })
})
