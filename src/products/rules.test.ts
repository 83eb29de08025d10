import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PrintAreaSchema } from '../drawing/document/schema/design-document.ts'
import { type CheckedProduct, checkProduct, unitAmountFor } from './rules.ts'
import { SAMPLE_CATALOGUE } from './sample/catalogue.ts'
import { PrintAreaBody } from './schemas.ts'

const AREA = {
  id: 'front',
  name: 'Front',
  widthMm: 85,
  heightMm: 55,
  bleedMm: 3,
  safeMarginMm: 3,
  targetDpi: 300,
  required: true,
}
const VARIANT = {
  sku: 'A-S',
  options: { Size: 'S' },
  weightGrams: 10,
  priceTiers: [
    { minQuantity: 1, unitAmount: 500 },
    { minQuantity: 10, unitAmount: 400 },
  ],
  available: true,
}
const PRODUCT: CheckedProduct = {
  currency: 'EUR',
  printAreas: [AREA],
  options: [{ name: 'Size', values: ['S', 'M'] }],
  variants: [VARIANT, { ...VARIANT, sku: 'A-M', options: { Size: 'M' } }],
}

function faultsOf(changes: Partial<CheckedProduct>): string[] {
  return checkProduct({ ...PRODUCT, ...changes }).map(({ code, pointer }) => `${code} ${pointer}`)
}

/** Returns the faults of a product after a change of its second variant. */
function faultsOfVariant(changes: object): string[] {
  return faultsOf({ variants: [VARIANT, { ...VARIANT, sku: 'A-M', options: { Size: 'M' }, ...changes }] })
}

test('a consistent product and the sample catalogue have no faults', () => {
  assert.deepEqual(checkProduct(PRODUCT), [])
  for (const { options = [], ...sample } of SAMPLE_CATALOGUE) {
    const variants = sample.variants.map((variant) => ({ available: true, options: {}, ...variant }))
    assert.deepEqual(checkProduct({ ...sample, options, variants }), [], sample.name)
  }
})

test('only currencies in use are accepted', () => {
  for (const currency of ['EUR', 'USD', 'JPY', 'XOF']) assert.deepEqual(faultsOf({ currency }), [], currency)
  for (const currency of ['ABC', 'XXX', 'XAU', 'XTS']) {
    assert.deepEqual(faultsOf({ currency }), ['currency_unknown /currency'], currency)
  }
})

test('print areas have unique ids, lengths in whole micrometres and room inside their margins', () => {
  assert.deepEqual(faultsOf({ printAreas: [AREA, { ...AREA, name: 'Again' }] }), ['duplicate /printAreas/1/id'])
  assert.deepEqual(faultsOf({ printAreas: [{ ...AREA, widthMm: 85.1234 }] }), [
    'too_many_decimals /printAreas/0/widthMm',
  ])
  assert.deepEqual(faultsOf({ printAreas: [{ ...AREA, widthMm: 85.1, heightMm: 1000.001, bleedMm: 0.003 }] }), [])
  assert.deepEqual(faultsOf({ printAreas: [{ ...AREA, safeMarginMm: 27.5 }] }), [
    'safe_margin_too_large /printAreas/0/safeMarginMm',
  ])
})

test('a page with its bleed is at most 5080 mm long, the most that a PDF can hold', () => {
  const tooLong = (index: number, side: string) => `page_too_large /printAreas/${index}/${side}`
  assert.deepEqual(faultsOf({ printAreas: [{ ...AREA, widthMm: 5074 }] }), [])
  assert.deepEqual(faultsOf({ printAreas: [{ ...AREA, widthMm: 5074.001 }] }), [tooLong(0, 'widthMm')])
  assert.deepEqual(
    faultsOf({ printAreas: [AREA, { ...AREA, id: 'back', widthMm: 5080, heightMm: 9999, bleedMm: 0 }] }),
    [tooLong(1, 'heightMm')],
  )
})

test('the minimum resolution cannot exceed the target resolution', () => {
  assert.deepEqual(faultsOf({ printAreas: [{ ...AREA, minDpi: 300 }] }), [])
  assert.deepEqual(faultsOf({ printAreas: [{ ...AREA, minDpi: 300.5 }] }), [
    'min_dpi_above_target /printAreas/0/minDpi',
  ])
})

test('print areas have exactly the members of the drawing code, with the same limits', () => {
  const rules = (schema: object) =>
    JSON.parse(JSON.stringify(schema, (key, value) => (key === 'description' || key === 'title' ? undefined : value)))
  const products = rules(PrintAreaBody)
  const drawing = rules(PrintAreaSchema)
  // Removes the pattern from the comparison: the parser of the API refuses NUL and unpaired surrogates before this
  // schema is used.
  delete drawing.properties.name.pattern
  assert.deepEqual(products, drawing)
})

test('every variant names exactly one known value for each option', () => {
  assert.deepEqual(faultsOfVariant({ options: {} }), ['option_missing /variants/1/options/Size'])
  assert.deepEqual(faultsOfVariant({ options: { Size: 'L' } }), ['option_value_unknown /variants/1/options/Size'])
  assert.deepEqual(faultsOfVariant({ options: { Size: 'M', 'In/out': 'in' } }), [
    'option_unknown /variants/1/options/In~1out',
  ])
})

test('a missing option with the name of an inherited member is reported', () => {
  const options = [...PRODUCT.options, { name: 'constructor', values: ['a'] }]
  const missing = (index: number) => `option_missing /variants/${index}/options/constructor`
  assert.deepEqual(faultsOf({ options }), [missing(0), missing(1)])
})

test('no two variants are the same or share an SKU, and no two options share a name', () => {
  assert.deepEqual(faultsOfVariant({ options: { Size: 'S' } }), ['duplicate /variants/1/options'])
  assert.deepEqual(faultsOfVariant({ sku: 'A-S' }), ['duplicate /variants/1/sku'])
  const [option] = PRODUCT.options
  assert.deepEqual(faultsOf({ options: option === undefined ? [] : [option, option] }), ['duplicate /options/1/name'])
})

test('price tiers are in ascending order and start with one piece', () => {
  const faultsOfTiers = (...quantities: number[]) =>
    faultsOfVariant({ priceTiers: quantities.map((minQuantity) => ({ minQuantity, unitAmount: 1 })) })
  const place = (index: number) => `/variants/1/priceTiers/${index}/minQuantity`
  assert.deepEqual(faultsOfTiers(2, 5), [`first_tier_not_one ${place(0)}`])
  assert.deepEqual(faultsOfTiers(1, 5, 5), [`tiers_not_ascending ${place(2)}`])
  assert.deepEqual(faultsOfTiers(1, 5, 3), [`tiers_not_ascending ${place(2)}`])
})

test('the price of one piece is that of the last tier that the quantity reaches', () => {
  const { priceTiers } = VARIANT
  const prices = [1, 9, 10, 100_000].map((quantity) => unitAmountFor(priceTiers, quantity))
  assert.deepEqual(prices, [500, 500, 400, 400])
  assert.throws(() => unitAmountFor(priceTiers, 0), RangeError)
})
