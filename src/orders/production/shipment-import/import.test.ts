import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { makeOrder, startCast } from '../../actions/factory.ts'
import type { ImportBody } from './schemas.ts'

async function startImport(t: TestContext) {
  const cast = await startCast(t)
  const { shop, operator } = cast
  const send = (
    csv: string | Uint8Array,
    { query = '', token = operator.token, key = randomUUID() as string } = {},
  ) => {
    const body = typeof csv === 'string' ? Buffer.from(csv) : csv
    const headers = { 'content-type': 'text/csv', 'idempotency-key': key }
    return shop.request('POST', `/production/shipments/import${query}`, { token, body: new Uint8Array(body), headers })
  }
  const importFile = async (csv: string | Uint8Array, query = ''): Promise<ImportBody> => {
    const answer = await send(csv, { query })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const read = async (id: string) => (await shop.request('GET', `/orders/${id}`, { token: operator.token })).body
  const inProduction = async () => {
    const { id } = await makeOrder(cast, ['record_payment', 'start_production'])
    return { id, number: (await read(id)).number as string }
  }
  return { ...cast, send, importFile, read, inProduction }
}

const outcomesOf = ({ lines }: ImportBody) =>
  lines.map(({ line, outcome, errors = [] }) => [
    line,
    outcome,
    ...errors.map(({ column, code }) => `${column} ${code}`),
  ])

test('a dry run names each faulty line, and changes nothing', async (t) => {
  const cast = await startImport(t)
  const { importFile, read, inProduction } = cast
  const [first, second, third] = [await inProduction(), await inProduction(), await inProduction()]
  const unpaid = await makeOrder(cast)
  const file = [
    'Order number;Carrier;Tracking number;Tracking URL;Weight',
    `${first.number.toLowerCase()};DHL;00340434161094042557;https://dhl.example/1;1,2`,
    `${second.id};;JJD2;;`,
    `${third.id};DHL;JJD2;javascript:alert(1);`,
    `${first.id};DHL;JJD3;;`,
    `${unpaid.id};DHL;;;`,
    'PL-0000-0001;DHL;;;',
    'ord_01h455vb4pex5vsknk084sn02q;DHL;=1+1;;',
    `;"=cmd|' /C calc'!A0";3,40434E+17;;`,
  ].join('\r\n')
  const body = await importFile(`\ufeff${file}\r\n`, '?dryRun=true')
  assert.deepEqual(outcomesOf(body), [
    [2, 'ready'],
    [3, 'faulty', 'Carrier required'],
    [4, 'faulty', 'Tracking URL wrong_format'],
    [5, 'faulty', 'Order number order_repeated'],
    [6, 'faulty', 'Order number order_action_refused'],
    [7, 'faulty', 'Order number order_number_invalid'],
    [8, 'faulty', 'Tracking number formula', 'Order number order_not_found'],
    [9, 'faulty', 'Carrier formula', 'Tracking number rounded_number', 'Order number required'],
  ])
  assert.deepEqual(body.counts, { ready: 1, shipped: 0, unchanged: 0, faulty: 7 })
  assert.deepEqual([body.dryRun, body.ignoredColumns], [true, ['Weight']])
  for (const { id } of [first, second, third]) assert.deepEqual((await read(id)).shipments, [])
})

test('the good lines of a file ship once, whatever the others contain and however often it is sent', async (t) => {
  const { shop, importFile, send, read, inProduction } = await startImport(t)
  const [first, second] = [await inProduction(), await inProduction()]
  const today = shop.service.clock.now().toISOString().slice(0, 10)
  const file = [
    'order,carrier,tracking number,shipped at',
    `${first.number},DHL,"=""00340434161094042557""",${today.split('-').reverse().join('.')}`,
    `${second.number},,JJD2,`,
    `${second.number},UPS,,2020-01-01`,
  ].join('\n')
  assert.deepEqual(
    outcomesOf(await importFile(file)).map(([, outcome]) => outcome),
    ['shipped', 'faulty', 'faulty'],
  )
  const good = file.replace(',,JJD2,', ',DPD,JJD2,')
  const key = randomUUID()
  for (const replayed of [null, 'true']) {
    const answer = await send(good, { key })
    assert.equal(answer.headers.get('idempotent-replayed'), replayed)
    assert.deepEqual(answer.body.counts, { ready: 0, shipped: 1, unchanged: 1, faulty: 1 })
  }
  assert.deepEqual((await importFile(good)).counts, { ready: 0, shipped: 0, unchanged: 2, faulty: 1 })
  assert.equal((await send(`${good}\n`, { key })).body.code, 'idempotency_key_reused')
  const shipments = [...(await read(first.id)).shipments, ...(await read(second.id)).shipments]
  assert.deepEqual(
    shipments.map(({ carrier, trackingNumber }) => [carrier, trackingNumber]),
    [
      ['DHL', '00340434161094042557'],
      ['DPD', 'JJD2'],
    ],
  )
  assert.equal(shipments[0].shippedAt, `${today}T12:00:00.000Z`)
  assert.equal(shipments[1].shippedAt, shipments[1].createdAt)
})

test('a file in parts ships the orders of each part once, and a part knows the orders of the parts before', async (t) => {
  const { importFile, read, inProduction } = await startImport(t)
  const [first, second] = [await inProduction(), await inProduction()]
  const file = `order,carrier\n${first.number},DHL\n${second.number},DHL\n${first.number},UPS\n`
  assert.deepEqual(outcomesOf(await importFile(file, '?firstLine=3&lastLine=3')), [[3, 'shipped']])
  assert.deepEqual((await read(first.id)).shipments, [])
  assert.deepEqual(outcomesOf(await importFile(file, '?lastLine=3')), [
    [2, 'shipped'],
    [3, 'unchanged'],
  ])
  assert.deepEqual(outcomesOf(await importFile(file, '?firstLine=4')), [[4, 'faulty', 'order order_repeated']])
  assert.equal((await read(first.id)).shipments.length, 1)
})

// Without the check under the lock of the order, the second request would fail or ship what the first one has shipped.
test('a file that two operators send at the same time ships each order once', async (t) => {
  const { shop, importFile, read, inProduction } = await startImport(t)
  const { id, number } = await inProduction()
  const file = `order,carrier,tracking number\n${number},DHL,JJD1\n`
  const { requests } = await shop.db.transaction().execute(async (trx) => {
    await trx.selectFrom('orders').select('id').where('id', '=', id).forUpdate().execute()
    const requests = [importFile(file), importFile(file)]
    await shop.service.untilBlocked(2)
    return { requests }
  })
  const outcomes = (await Promise.all(requests)).map(({ lines }) => lines[0]?.outcome)
  assert.deepEqual(outcomes.sort(), ['shipped', 'unchanged'])
  assert.equal((await read(id)).shipments.length, 1)
})

test('a line whose order changes between the check and the shipment fails with the problem of the order', async (t) => {
  const cast = await startImport(t)
  const { shop, operator, importFile, read, inProduction } = cast
  const { id, number } = await inProduction()
  const { request } = await shop.db.transaction().execute(async (trx) => {
    await trx
      .updateTable('orders')
      .set({ status: 'on_hold', held_status: 'in_production' })
      .where('id', '=', id)
      .execute()
    const request = importFile(`order,carrier\n${number},DHL\n`)
    await shop.service.untilBlocked(1)
    return { request }
  })
  const [line] = (await request).lines
  const { body } = await shop.request('POST', `/orders/${id}/shipments`, {
    token: operator.token,
    body: { carrier: 'DHL' },
  })
  assert.deepEqual(line?.errors, [{ code: body.code, detail: body.detail }])
  assert.equal((await read(id)).status, 'on_hold')
})

test('a parcel has not left before its order was created, nor in the future', async (t) => {
  const { shop, operator, importFile, inProduction } = await startImport(t)
  const { id, number } = await inProduction()
  for (const shippedAt of ['2020-01-01', '2099-12-31', '2026-02-30', '2026-06-30T23:59:60Z', 'yesterday']) {
    const body = await importFile(`order,carrier,shipped at\n${number},DHL,${shippedAt}\n`, '?dryRun=true')
    assert.deepEqual([body.counts.faulty, body.lines[0]?.errors?.[0]?.column], [1, 'shipped at'], shippedAt)
  }
  const body = { carrier: 'DHL', shippedAt: '2020-01-01T00:00:00Z' }
  const { status, body: problem } = await shop.request('POST', `/orders/${id}/shipments`, {
    token: operator.token,
    body,
  })
  assert.deepEqual([status, problem.code, problem.pointer], [422, 'shipment_time_invalid', '/shippedAt'])
})

test('a file that cannot be read as a whole ships nothing', async (t) => {
  const { send, read, inProduction, shop, customer } = await startImport(t)
  const { id, number } = await inProduction()
  const line = `${number},DHL\n`
  const faults: [string | Uint8Array, string][] = [
    ['', 'column_missing'],
    [`order\n${line}`, 'column_missing'],
    [`order,carrier,Order number\n${line}`, 'column_repeated'],
    [`order,carrier\n${line}"`, 'unclosed_quote'],
    [`order,carrier\n${line.repeat(1_001)}`, 'too_many_lines'],
    [Buffer.from('PK\u0003\u0004\0\0'), 'not_text'],
  ]
  for (const [file, code] of faults) {
    const { status, body } = await send(file)
    assert.deepEqual([status, body.code, body.errors?.[0].code], [422, 'shipment_file_invalid', code])
  }
  assert.equal((await send('x'.repeat(1_500_001))).status, 413)
  assert.equal((await send(`order,carrier\n${line}`, { query: '?dryRun=maybe' })).status, 400)
  assert.equal((await send(`order,carrier\n${line}`, { token: customer.token })).status, 403)
  const { status } = await shop.request('POST', '/production/shipments/import', { token: customer.token, body: {} })
  assert.equal(status, 403)
  assert.deepEqual((await read(id)).shipments, [])
})
