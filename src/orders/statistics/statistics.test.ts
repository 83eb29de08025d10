import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { type Shop, startShop } from '../factory.ts'
import { countSettledQuarters } from './count-quarters.ts'
import { addUpStatuses, countByStatus, countQuarters } from './store.ts'

const HOUR = 3_600

/** A shop at 23:30 in Berlin, whose customers order two cards for 5 euros and shipping. */
async function openOnEvening(t: TestContext) {
  const shop = await startShop(t)
  const { clock } = shop.service
  const goTo = (at: string) => clock.shift((Date.parse(at) - clock.now().getTime()) / 1_000)
  goTo('2031-03-10T22:30:00Z')
  const operator = (await shop.signUpKey('operator', ['orders:read', 'orders:write'])).token
  const request = async (method: string, path: string, body?: object) => {
    const answer = await shop.request(method, path, { token: operator, ...(body === undefined ? {} : { body }) })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const read = (query = '') => request('GET', `/production/statistics?timeZone=Europe/Berlin&${query}`)
  const pass = (hours: number) => clock.shift(hours * HOUR)
  return { shop, request, read, goTo, pass }
}

test('orders, captures and refunds count on the day on which they happen in the time zone', async (t) => {
  const { shop, request, read, pass } = await openOnEvening(t)
  const { order } = await shop.order()
  const total = order.amounts.total.amount
  pass(1)
  await request('POST', `/orders/${order.id}/payments`, { method: 'manual' })
  pass(24)
  await request('POST', `/orders/${order.id}/refunds`, { amount: { amount: 120, currency: 'EUR' } })

  const { currencies, openOrders, ordersByStatus, from, to } = await read('days=4')
  assert.deepEqual([from, to], ['2031-03-08T23:00:00.000Z', '2031-03-12T23:00:00.000Z'])
  const nothing = { orders: 0, orderedAmount: 0, capturedAmount: 0, refundedAmount: 0 }
  assert.deepEqual(currencies, [
    {
      ...{ currency: 'EUR', orders: 1, orderedAmount: total, capturedAmount: total, refundedAmount: 120 },
      days: [
        { day: '2031-03-09', ...nothing },
        { day: '2031-03-10', ...nothing, orders: 1, orderedAmount: total },
        { day: '2031-03-11', ...nothing, capturedAmount: total },
        { day: '2031-03-12', ...nothing, refundedAmount: 120 },
      ],
    },
  ])
  const open = { awaiting_payment: 0, confirmed: 1, in_production: 0, partially_shipped: 0, on_hold: 0 }
  assert.deepEqual(openOrders, open)
  assert.deepEqual(ordersByStatus, { ...open, shipped: 0, delivered: 0, cancelled: 0 })
  const [utc] = (await request('GET', '/production/statistics?days=1')).currencies
  assert.equal(utc.refundedAmount, 120, 'the default time zone is UTC')
})

test('a period begins at midnight on days when clocks change', async (t) => {
  const { shop, read, goTo } = await openOnEvening(t)
  // In Berlin, 2031-03-30 has 23 hours.
  goTo('2031-03-30T21:30:00Z')
  await shop.order()
  const { from, to, currencies } = await read('days=2')
  assert.deepEqual([from, to], ['2031-03-28T23:00:00.000Z', '2031-03-30T22:00:00.000Z'])
  assert.deepEqual(
    currencies[0].days.map(({ day, orders }: { day: string; orders: number }) => [day, orders]),
    [
      ['2031-03-29', 0],
      ['2031-03-30', 1],
    ],
  )
})

test('figures are the same before and after quarters are counted, and everything counts once', async (t) => {
  const { shop, request, read, pass } = await openOnEvening(t)
  for (const hours of [0, 5, 30, 198]) {
    pass(hours)
    const { order } = await shop.order()
    await request('POST', `/orders/${order.id}/payments`, { method: 'manual' })
    pass(1)
    await request('POST', `/orders/${order.id}/refunds`, { amount: { amount: 100 + hours, currency: 'EUR' } })
  }
  const before = await read('days=20')
  assert.equal(before.currencies[0].orders, 4)
  await countSettledQuarters(shop.deps)
  assert.deepEqual(await read('days=20'), before)
  const counted = async () => {
    const rows = await shop.db.selectFrom('order_quarters').select(['orders', 'refunded_amount']).execute()
    return [rows.filter(({ orders }) => orders > 0).length, rows.filter((row) => row.refunded_amount > 0).length]
  }
  assert.deepEqual(await counted(), [3, 3], 'the newest order is not settled')
  pass(2)
  await Promise.all([1, 2, 3].map(() => countSettledQuarters(shop.deps)))
  assert.deepEqual(await counted(), [4, 4])
  assert.deepEqual((await read('days=20')).currencies, before.currencies)
  // The order of the last hour is not settled, and all others are read from the totals alone.
  await shop.db.deleteFrom('order_quarters').execute()
  assert.deepEqual((await read('days=20')).currencies, before.currencies)
})

test('the figures of one day have its hours, the same before and after quarters are counted', async (t) => {
  const { shop, request, read, goTo } = await openOnEvening(t)
  // In Berlin, 2031-10-26 has 25 hours: from 02:00 to 03:00 twice.
  for (const at of ['2031-10-25T22:10:00Z', '2031-10-26T00:40:00Z', '2031-10-26T01:40:00Z', '2031-10-26T20:20:00Z']) {
    goTo(at)
    const { order } = await shop.order()
    await request('POST', `/orders/${order.id}/payments`, { method: 'manual' })
  }
  const before = await read('days=1')
  const [{ hours, days, ...sums }] = before.currencies
  assert.equal(hours.length, 25)
  assert.deepEqual([hours[0].hour, hours.at(-1).hour], ['2031-10-25T22:00:00.000Z', '2031-10-26T22:00:00.000Z'])
  const used = hours.filter(({ orders }: { orders: number }) => orders > 0)
  assert.deepEqual(
    used.map(({ hour, orders }: { hour: string; orders: number }) => [hour, orders]),
    [
      ['2031-10-25T22:00:00.000Z', 1],
      ['2031-10-26T00:00:00.000Z', 1],
      ['2031-10-26T01:00:00.000Z', 1],
      ['2031-10-26T20:00:00.000Z', 1],
    ],
  )
  assert.deepEqual([sums.orders, days], [4, [{ day: '2031-10-26', ...figuresOf(sums) }]])
  assert.deepEqual((await read('days=2')).currencies[0].days.at(-1), days[0])
  assert.equal((await read('days=2')).currencies[0].hours, undefined)
  await countSettledQuarters(shop.deps)
  assert.equal((await shop.db.selectFrom('order_quarters').select('orders').execute()).length, 3)
  assert.deepEqual(await read('days=1'), before)
  // Where the offset of the time zone is not a whole hour, the hours begin with those of the clock.
  const nepal = await request('GET', '/production/statistics?days=1&timeZone=Asia/Kathmandu')
  assert.equal(nepal.currencies[0].hours[0].hour, '2031-10-26T18:15:00.000Z')
})

const figuresOf = ({ currency: _, ...figures }: Record<string, unknown>) => figures

test('orders are late until they have left the shop, and at most a thousand are counted', async (t) => {
  const { shop, request, read, pass } = await openOnEvening(t)
  const { order } = await shop.order()
  const { dueAt } = await request('POST', `/orders/${order.id}/payments`, { method: 'manual' })
  const late = async () => (await read('days=1')).lateOrders
  assert.equal(await late(), 0)
  pass((Date.parse(dueAt) - shop.service.clock.now().getTime()) / 1_000 / HOUR + 1)
  assert.equal(await late(), 1)
  await request('POST', `/orders/${order.id}/start-production`)
  assert.equal(await late(), 1)
  await sql`
    insert into orders select (jsonb_populate_record(o, jsonb_build_object('id', o.id || n, 'number', n::text))).*
    from orders o cross join generate_series(1, 1000) as n`.execute(shop.db)
  assert.equal(await late(), 1_000)
  await sql`delete from orders where id <> ${order.id}`.execute(shop.db)
  await request('POST', `/orders/${order.id}/shipments`, { carrier: 'DHL' })
  assert.equal(await late(), 0)
})

/** Fails if the figures of days differ before and after they are added up. */
async function requireSameDays(t: TestContext, at: string, zones: readonly string[]): Promise<void> {
  const { shop, request, goTo } = await openOnEvening(t)
  goTo(at)
  const now = shop.service.clock.now().getTime()
  const quarters = Array.from({ length: 400 }, (_, i) => new Date(now - (now % 900_000) - (i + 12) * 900_000))
  for (const [currency, every] of [
    ['EUR', 1],
    ['USD', 7],
    ['CHF', 100],
  ] as const) {
    const rows = quarters.filter((_, i) => i % every === 0)
    const figures = { currency, orders: 2, ordered_amount: 500, captured_amount: 400, refunded_amount: 3 }
    await shop.db
      .insertInto('order_quarters')
      .values(rows.map((quarter) => ({ quarter, ...figures })))
      .execute()
  }
  const counted = quarters.at(-1)
  const until = new Date(now - (now % 900_000) - 11 * 900_000)
  const state = { until, refunds_until: until, totals_until: null }
  await shop.db.updateTable('order_quarters_until').set(state).execute()
  const readAll = async () => {
    const answers = zones.map((zone) => request('GET', `/production/statistics?days=7&timeZone=${zone}`))
    return (await Promise.all(answers)).map(({ currencies }) => currencies)
  }
  const before = await readAll()
  assert.deepEqual(
    before[0].map(({ currency }: { currency: string }) => currency),
    ['CHF', 'EUR', 'USD'],
  )
  // Adding up begins with the oldest order.
  await shop.order()
  await sql`update orders set created_at = ${counted}`.execute(shop.db)
  await countSettledQuarters(shop.deps)
  assert.deepEqual(await readAll(), before)
}

test('days that are added up are counted for each currency, in any time zone', (t) =>
  requireSameDays(t, '2031-03-31T12:30:00Z', [
    'UTC',
    'Europe/Berlin',
    'Asia/Kathmandu',
    'America/St_Johns',
    'Pacific/Kiritimati',
  ]))

// The clock goes back over midnight on 2031-10-26 and 2031-11-02.
for (const [zone, at] of [
  ['Atlantic/Azores', '2031-10-28T12:00:00Z'],
  ['America/Havana', '2031-11-04T12:00:00Z'],
] as const)
  test(`a day that begins twice is counted once in ${zone}`, (t) => requireSameDays(t, at, [zone]))

test('refunds of quarters that the previous release counted are counted later', async (t) => {
  const { shop, request, read, pass } = await openOnEvening(t)
  const { order } = await shop.order()
  await request('POST', `/orders/${order.id}/payments`, { method: 'manual' })
  await request('POST', `/orders/${order.id}/refunds`, { amount: { amount: 120, currency: 'EUR' } })
  pass(9 * 24)
  const before = await read('days=20')
  await countSettledQuarters(shop.deps)
  await shop.db.updateTable('order_quarters_until').set({ refunds_until: null, totals_until: null }).execute()
  await shop.db.deleteFrom('order_running_totals').execute()
  assert.deepEqual(await read('days=20'), before, 'what another process counts after this time was read is left out')
  // As the previous release leaves it: orders are counted, refunds are not.
  await shop.db.updateTable('order_quarters').set({ refunded_amount: 0 }).execute()
  assert.deepEqual(await read('days=20'), before)
  await countSettledQuarters(shop.deps)
  assert.deepEqual(await read('days=20'), before)
  const [row] = await shop.db.selectFrom('order_quarters_until').selectAll().execute()
  assert.deepEqual([row?.refunds_until, row?.totals_until], [row?.until, row?.until])
})

test('counting stops and continues without a gap, some days in a transaction', async (t) => {
  const { shop, read, pass } = await openOnEvening(t)
  await shop.order()
  pass(24 * 9)
  await shop.order()
  const all = (await read('days=20')).currencies
  pass(24)
  const before = new Date('2031-03-20T12:00:00Z')
  const step = () => shop.db.transaction().execute((trx) => countQuarters(trx, { before, atMostDays: 4 }))
  const results = [await step(), await step(), await step(), await step()]
  assert.deepEqual(results, [true, true, false, false])
  const [row] = await shop.db.selectFrom('order_quarters_until').select('until').execute()
  assert.deepEqual(row?.until, before)
  const days = (currencies: typeof all) => currencies[0].days.filter(({ orders }: { orders: number }) => orders > 0)
  assert.deepEqual(days((await read('days=21')).currencies), days(all))
})

/** Compares the number of orders in each status with the orders themselves. */
async function requireCounted({ db }: Shop, message: string): Promise<void> {
  const { rows } = await sql<{ status: string; orders: number }>`
    select status, count(*)::int as orders from orders group by status order by status`.execute(db)
  const counted = (await countByStatus(db)).filter(({ orders }) => orders !== 0)
  assert.deepEqual(
    counted.sort((a, b) => (a.status < b.status ? -1 : 1)),
    rows,
    message,
  )
}

test('orders are counted by status whenever their changes are added up, also changes that are not committed', async (t) => {
  const { shop } = await openOnEvening(t)
  const addUp = () => shop.db.transaction().execute((trx) => addUpStatuses(trx))
  const sums = async () => (await shop.db.selectFrom('order_status_counts').select('is_sum').execute()).length
  const { order: first } = await shop.order()
  // As the migration leaves orders of earlier releases.
  await shop.db.deleteFrom('order_status_counts').execute()
  const { order: second } = await shop.order()
  await requireCounted(shop, 'before they are counted for the first time')
  const changeDuring = (status: string, ids: readonly string[]) =>
    shop.db.transaction().execute(async (trx) => {
      await trx.updateTable('orders').set({ status }).where('id', 'in', ids).execute()
      await Promise.all([addUp(), addUp()])
      await requireCounted(shop, `while orders become ${status}`)
    })
  await changeDuring('confirmed', [first.id])
  await requireCounted(shop, 'counted for the first time during a change')
  for (const status of ['in_production', 'confirmed', 'cancelled']) await changeDuring(status, [first.id, second.id])
  await requireCounted(shop, 'changes of several orders')
  for (let change = 0; change < 60; change += 1) {
    const status = change % 2 === 0 ? 'confirmed' : 'cancelled'
    await shop.db.updateTable('orders').set({ status }).where('id', '=', first.id).execute()
  }
  assert.ok((await sums()) > 120)
  await changeDuring('shipped', [second.id])
  assert.ok((await sums()) < 10, 'many changes are added up')
  await shop.order()
  await requireCounted(shop, 'after they are added up')
  await shop.db.updateTable('order_status_counts').set({ orders: 7 }).execute()
  await shop.db.transaction().execute((trx) => addUpStatuses(trx, { recounts: true }))
  await requireCounted(shop, 'after they are counted again')
})

test('orders that two processes count for the first time are counted once', async (t) => {
  const { shop } = await openOnEvening(t)
  await shop.order()
  const addUp = () => shop.db.transaction().execute((trx) => addUpStatuses(trx))
  const { other } = await shop.db.transaction().execute(async (trx) => {
    await addUpStatuses(trx)
    const other = addUp()
    await shop.service.untilBlocked(1)
    return { other }
  })
  await other
  await requireCounted(shop, 'after both')
})

test('a time zone that does not exist is named, and customers read no figures', async (t) => {
  const { shop } = await openOnEvening(t)
  const operator = (await shop.signUpKey('operator', ['orders:read'])).token
  const customer = (await shop.signUpKey('customer', ['orders:read'])).token
  const ask = (query: string, token: string) => shop.request('GET', `/production/statistics?${query}`, { token })
  for (const timeZone of ['Europe/Atlantis', '%2B05:30', "';select", 'X'.repeat(65)]) {
    const { status, body } = await ask(`timeZone=${timeZone}`, operator)
    assert.deepEqual([status, body.errors[0].parameter], [400, 'timeZone'], timeZone)
  }
  assert.equal((await ask('days=367', operator)).status, 400)
  assert.equal((await ask('timeZone=Asia/Kathmandu&days=366', operator)).status, 200)
  assert.equal((await ask('', customer)).status, 403)
})
