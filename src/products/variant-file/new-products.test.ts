import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { startService } from '../../../test/harness.ts'
import { CARD } from '../../designs/factory.ts'
import { readCsv } from '../../platform/csv/read-csv.ts'
import type { VariantImportBody } from './schemas.ts'

async function start(t: TestContext) {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const send = (csv: string, query = '') => {
    const headers = { 'content-type': 'text/csv', 'idempotency-key': randomUUID() }
    const body = new TextEncoder().encode(csv)
    return service.request('POST', `/products/variants/import${query}`, { token, body, headers })
  }
  const importFile = async (csv: string, query = ''): Promise<VariantImportBody> => {
    const answer = await send(csv, query)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const list = async (status: 'active' | 'archived') =>
    (await service.request('GET', `/products?status=${status}&limit=100`)).body.data
  return { service, token, send, importFile, list }
}

const HEADER = 'Product;Currency;Width;Height;Bleed;Options;SKU;Weight;Price from 1;Price from 50'
const GOOD = [
  HEADER,
  "'@Card;eur;85,5;55;2;Paper: matt; Finish: gloss;CARD-M;5;1,20;0,90",
  "'@Card;;;;;Paper: rough;CARD-R;6;1.5;",
].map((line) => line.replace('Paper: matt; Finish: gloss', '"Paper: matt; Finish: gloss"'))
const FILE = [GOOD[0], GOOD[1], GOOD[2]?.replace('Paper: rough', '"Paper: rough;Finish:none"')].join('\r\n')

test('a dry run names what is wrong with each line of a new product, and creates nothing', async (t) => {
  const { importFile, list } = await start(t)
  const file = [
    HEADER,
    'Mug;EUR;200;80;;Colour: red;RED;300;9,90;',
    'Mug;USD;200;80;;Colour: red;BLUE;;10;',
    'Flag;EURO;100;6000;;matt;FLAG;5;1,234;',
    'Sticker;EUR;5 cm;;;;;5;;0,10',
    ';EUR;50;50;;;A;5;1;',
    '=1+1;EUR;50;50;;;A;5;1;',
  ].join('\n')
  const before = await list('archived')
  const { lines, counts, newProducts } = await importFile(file, '?dryRun=true')
  assert.deepEqual(
    lines.map(({ line, outcome, errors = [] }) => [
      line,
      outcome,
      ...errors.map((one) => `${one.column} ${one.code}`).sort(),
    ]),
    [
      [2, 'ready'],
      [3, 'faulty', 'Currency differs', 'Options duplicate', 'Weight required'],
      [
        ...[4, 'faulty'],
        ...[
          'Currency currency_unknown',
          'Height page_too_large',
          'Options options_unreadable',
          'Price from 1 too_many_decimals',
        ],
      ],
      [5, 'faulty', 'Height required', 'Price from 50 first_tier_not_one', 'SKU required', 'Width length_invalid'],
      [6, 'faulty', 'product id required'],
      [7, 'faulty', 'Product formula', 'product id required'],
    ],
  )
  assert.deepEqual([counts, newProducts], [{ ready: 1, imported: 0, unchanged: 0, faulty: 5 }, 1])
  assert.deepEqual(await list('archived'), before)
})

test('an import creates an archived product, which a repeated import leaves as it is', async (t) => {
  const { service, token, importFile, list } = await start(t)
  const active = (await list('active')).length
  const { counts, newProducts, lines } = await importFile(FILE)
  assert.deepEqual([counts.imported, newProducts], [2, 1])
  const [product, ...others] = await list('archived')
  assert.deepEqual([others, (await list('active')).length], [[], active])
  assert.deepEqual(
    lines.map(({ productId, newProduct, variant }) => [productId, newProduct, variant]),
    [
      [product.id, '@Card', 'CARD-M'],
      [product.id, '@Card', 'CARD-R'],
    ],
  )
  const { name, currency, printAreas, options, variants } = product
  assert.deepEqual(
    [name, currency, options],
    [
      '@Card',
      'EUR',
      [
        { name: 'Paper', values: ['matt', 'rough'] },
        { name: 'Finish', values: ['gloss', 'none'] },
      ],
    ],
  )
  assert.deepEqual(printAreas, [
    {
      ...{ id: 'front', name: 'Front', required: true, targetDpi: 300 },
      ...{ widthMm: 85.5, heightMm: 55, bleedMm: 2, safeMarginMm: 3 },
    },
  ])
  assert.deepEqual(
    variants.map(({ id: _, ...variant }: { id: string }) => variant),
    [
      {
        ...{ sku: 'CARD-M', options: { Paper: 'matt', Finish: 'gloss' }, weightGrams: 5, available: true },
        priceTiers: [
          { minQuantity: 1, unitAmount: 120 },
          { minQuantity: 50, unitAmount: 90 },
        ],
      },
      {
        ...{ sku: 'CARD-R', options: { Paper: 'rough', Finish: 'none' }, weightGrams: 6, available: true },
        priceTiers: [{ minQuantity: 1, unitAmount: 150 }],
      },
    ],
  )
  const { body: history } = await service.request('GET', `/products/${product.id}/history`, { token })
  assert.deepEqual(
    history.data.map(({ type }: { type: string }) => type),
    ['created'],
  )

  const again = await importFile(FILE)
  assert.deepEqual([again.counts.unchanged, again.newProducts, again.lines[0]?.productId], [2, 0, product.id])
  const dearer = await importFile(FILE.replace('1,20', '1,30'), '?dryRun=true')
  assert.deepEqual(
    dearer.lines.map(({ errors = [] }) => errors.map(({ column, code }) => `${column} ${code}`)),
    [['Product product_exists'], ['Product product_exists']],
  )
  assert.deepEqual(await list('archived'), [product])
  assert.equal((await service.request('POST', `/products/${product.id}/restore`, { token })).status, 200)
})

test('a faulty line of another product keeps new products from being created', async (t) => {
  const { send, list } = await start(t)
  const { status, body } = await send(`${FILE}\r\nMug;EUR;;80;;;MUG;300;9;`)
  assert.deepEqual([status, body.code], [422, 'variant_file_faulty'])
  assert.deepEqual(
    body.errors.map(({ line, column, code }: Record<string, unknown>) => [line, column, code]),
    [[4, 'Width', 'required']],
  )
  assert.deepEqual(await list('archived'), [])
})

// Without the lock of imports, the second one would not see the products of the first, and create them again.
test('a file that two administrators import at the same time creates its products once', async (t) => {
  const { service, importFile, list } = await start(t)
  const requests = await service.db.transaction().execute(async (trx) => {
    await sql`lock table products in exclusive mode`.execute(trx)
    const sent = [importFile(FILE), importFile(FILE)]
    await service.untilBlocked(2)
    return { sent }
  })
  const created = (await Promise.all(requests.sent)).map(({ newProducts }) => newProducts)
  assert.deepEqual(created.sort(), [0, 1])
  assert.equal((await list('archived')).length, 1)
})

test('an exported product without its ids is imported as a copy with another name', async (t) => {
  const { service, token, importFile, list } = await start(t)
  const values = ['matt; "A4": thick', 'rough']
  const options = [{ name: 'Paper: weight', values }]
  const variants = values.map((value, index) => ({
    ...{ sku: `CARD-${index}`, options: { 'Paper: weight': value }, weightGrams: 5, available: index === 0 },
    priceTiers: [{ minQuantity: 1, unitAmount: 100 + index }],
  }))
  const { body: card } = await service.request('POST', '/products', {
    ...{ token, body: { ...CARD, name: 'Original; card', options, variants } },
  })
  const { text } = await service.request('GET', '/products/variants/export?format=semicolon', { token })
  const [header = [], ...records] = readCsv(text.replace('\ufeff', ''), { maxRecords: 100 }).map((one) => one.fields)
  const own = records.filter(([id]) => id === card.id)
  const copies = own.map((fields) =>
    fields.map((field, index) =>
      /id$|^Revision$/.test(header[index] ?? '') ? '' : field.replace('Original; card', 'Copy'),
    ),
  )
  const file = [header, ...copies]
    .map((fields) => fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(';'))
    .join('\n')
  assert.equal((await importFile(file)).newProducts, 1)
  const [copy] = await list('archived')
  const comparable = ({ variants: all, printAreas: [area], currency }: typeof copy) => [
    currency,
    ...[area.widthMm, area.heightMm, area.bleedMm, area.safeMarginMm],
    all.map(({ id: _, ...variant }: { id: string }) => variant),
  ]
  assert.deepEqual([copy.name, copy.options, comparable(copy)], ['Copy', options, comparable(card)])
})
