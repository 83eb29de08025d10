import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { CARD } from '../../designs/factory.ts'
import { readCsv } from '../../platform/csv/read-csv.ts'
import type { VariantImportBody } from './schemas.ts'

const variant = (sku: string, Paper: string) => ({
  ...{ sku, options: { Paper }, weightGrams: 5 },
  priceTiers: [
    { minQuantity: 1, unitAmount: 100 },
    { minQuantity: 50, unitAmount: 70 },
  ],
})

async function startWithProducts(t: TestContext) {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const add = async (changes: object) =>
    (await service.request('POST', '/products', { token, body: { ...CARD, ...changes } })).body
  const options = [{ name: 'Paper', values: ['matt', '=1+1'] }]
  const card = await add({ name: '@Card', options, variants: [variant('-MATT', 'matt'), variant('FORMULA', '=1+1')] })
  const yen = await add({ name: 'Yen', currency: 'JPY', options, variants: [variant('YEN', 'matt')] })
  const send = (csv: string, { query = '', key = randomUUID() as string } = {}) => {
    const headers = { 'content-type': 'text/csv', 'idempotency-key': key }
    const body = new TextEncoder().encode(csv)
    return service.request('POST', `/products/variants/import${query}`, { token, body, headers })
  }
  const dryRun = async (csv: string): Promise<VariantImportBody> => {
    const answer = await send(csv, { query: '?dryRun=true' })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const read = async ({ id }: { id: string }) => (await service.request('GET', `/products/${id}`)).body
  const exported = async (query = ''): Promise<string> => {
    const answer = await service.request('GET', `/products/variants/export${query}`, { token })
    assert.equal(answer.status, 200)
    return answer.text
  }
  return { service, token, card, yen, send, dryRun, read, exported }
}

const fieldsOf = (csv: string) => readCsv(csv.replace('\ufeff', ''), { maxRecords: 100 }).map(({ fields }) => fields)

test('an export has a line for each variant, which no spreadsheet runs, and changes nothing when it is imported', async (t) => {
  const { card, yen, dryRun, send, read, exported } = await startWithProducts(t)
  for (const [query, decimals] of [
    ['', '1.00 0.70'],
    ['?format=semicolon', '1,00 0,70'],
  ] as const) {
    const csv = await exported(query)
    assert.ok(csv.startsWith('\ufeff'))
    const [header, ...lines] = fieldsOf(csv)
    assert.deepEqual(header?.slice(10), ['SKU', 'Weight in g', 'Available', 'Price from 1', 'Price from 50'])
    const [first, second] = lines.filter(([id]) => id === card.id)
    const prices = decimals.split(' ')
    const product = [card.id, '1', "'@Card", 'EUR', '85', '55', '3', '3']
    assert.deepEqual(first, [...product, card.variants[0].id, 'Paper: matt', "'-MATT", '5', 'yes', ...prices])
    assert.deepEqual(second?.slice(9, 11), ['Paper: =1+1', 'FORMULA'])
    assert.deepEqual(lines.find(([id]) => id === yen.id)?.slice(13), ['100', '70'])
    const report = await dryRun(csv)
    assert.deepEqual(report.counts, { ready: 0, imported: 0, unchanged: 3, faulty: 0 })
    assert.equal((await send(csv)).body.counts.unchanged, 3)
  }
  assert.equal((await read(card)).revision, 1)
})

test('a dry run names line and column of each fault, and changes nothing', async (t) => {
  const { card, yen, dryRun, read } = await startWithProducts(t)
  const [matt, formula] = card.variants
  const file = [
    'Product id;Revision;Variant id;SKU;Weight;Available;Price from 1;Price from 50;Note',
    `${card.id};1;${matt.id};NEW;7;no;1,20;;x`,
    `${card.id};2;${formula.id};;;maybe;free;0,5;`,
    `${card.id};;${matt.id};;;;;;`,
    `${card.id};;;NONE;;;;;`,
    `${card.id};;;;;;;;`,
    `${yen.id};;;YEN;1.5;;99,5;=1+1;`,
    'prd_none;;;A B;;;;;',
    ';;;YEN;;;;;',
  ].join('\r\n')
  const { lines, counts, ignoredColumns, dryRun: isDry } = await dryRun(file)
  assert.deepEqual(
    lines.map(({ line, outcome, errors = [] }) => [line, outcome, ...errors.map((one) => `${one.column} ${one.code}`)]),
    [
      [2, 'ready'],
      [3, 'faulty', 'Available not_yes_or_no', 'Revision product_changed', 'Price from 1 price_invalid'],
      [4, 'faulty', 'Variant id variant_repeated'],
      [5, 'faulty', 'SKU variant_not_found'],
      [6, 'faulty', 'Variant id required'],
      [7, 'faulty', 'Weight number_invalid', 'Price from 50 formula', 'Price from 1 too_many_decimals'],
      [8, 'faulty', 'SKU wrong_format', 'Product id product_not_found'],
      [9, 'faulty', 'Product id required'],
    ],
  )
  assert.deepEqual(
    [isDry, counts, ignoredColumns],
    [true, { ready: 1, imported: 0, unchanged: 0, faulty: 7 }, ['Note']],
  )
  assert.deepEqual(await read(card), card)
})

test('an import changes all lines or none, and records who changed what', async (t) => {
  const { service, token, card, yen, send, read } = await startWithProducts(t)
  const header = 'product id,variant id,sku,weight,available,price from 1,price from 100'
  const good = `${card.id},${card.variants[0].id},NEW,7,no,1.20,0.9`
  // The products are locked in the order of their ids: the good line is the first, and its change must not stay.
  const refused = await send([header, good, `${yen.id},,YEN,,,12.5,`].join('\n'))
  assert.deepEqual([refused.status, refused.body.code], [422, 'variant_file_faulty'])
  const [{ line, column, code }] = refused.body.errors
  assert.deepEqual([line, column, code], [3, 'price from 1', 'too_many_decimals'])
  assert.equal((await read(card)).revision, 1)

  const key = randomUUID()
  const file = [header, good, `${yen.id},,YEN,,,125,`].join('\n')
  const imported = await send(file, { key })
  assert.deepEqual(imported.body.counts, { ready: 0, imported: 2, unchanged: 0, faulty: 0 })
  assert.equal((await send(file, { key })).headers.get('idempotent-replayed'), 'true')
  const [changed] = (await read(card)).variants
  assert.deepEqual(changed, {
    ...card.variants[0],
    ...{ sku: 'NEW', weightGrams: 7, available: false },
    priceTiers: [
      { minQuantity: 1, unitAmount: 120 },
      { minQuantity: 100, unitAmount: 90 },
    ],
  })
  const [yenVariant] = (await read(yen)).variants
  assert.deepEqual(yenVariant.priceTiers, [{ minQuantity: 1, unitAmount: 125 }])
  const { body } = await service.request('GET', `/products/${card.id}/history?limit=1`, { token })
  const [{ type, revision, changes }] = body.data
  assert.deepEqual([type, revision], ['imported', 2])
  assert.deepEqual(
    changes.map(({ pointer }: { pointer: string }) => pointer.split('/').at(-1)),
    ['sku', 'weightGrams', 'priceTiers', 'available'],
  )
})

test('a line that would give a product the same SKU twice is named', async (t) => {
  const { card, dryRun } = await startWithProducts(t)
  const file = ['product id,variant id,sku', ...card.variants.map(({ id }: { id: string }) => `${card.id},${id},SAME`)]
  const { lines } = await dryRun(file.join('\n'))
  assert.deepEqual(
    lines.map(({ errors = [] }) => errors.map((one) => `${one.column} ${one.code}`)),
    [[], ['sku duplicate']],
  )
})

test('a file without product ids, with a column twice or with too many lines is refused as a whole', async (t) => {
  const { send } = await startWithProducts(t)
  for (const [file, code] of [
    ['sku,price from 1\nA,1', 'column_missing'],
    ['product id,price from 1,Preis ab 1\nA,1,1', 'column_repeated'],
    [`product id\n${'prd_none\n'.repeat(2_001)}`, 'too_many_lines'],
  ] as const) {
    const { status, body } = await send(file)
    assert.deepEqual([status, body.code, body.errors[0].code], [422, 'variant_file_invalid', code])
  }
})
