import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ellipseOutline, placeArea } from '../../areas/area-geometry.ts'
import { type DraftOption, emptyDraft, namesOf } from './draft.ts'
import { followProposals, type SkuSource } from './skus.ts'
import * as variants from './variants.ts'

const withValue = (choices: SkuSource, option: DraftOption, value: string): SkuSource => ({
  ...choices,
  ...variants.changeOption(choices.options, { ...option, values: [...option.values, { key: value, value }] }),
})

/** Adds an option with a name and one value. */
function withOption(choices: SkuSource, name: string, value: string): SkuSource {
  const added = { ...choices, ...variants.addOption(choices) }
  const option = optionAt(added, choices.options.length)
  const values = option.values.map((one) => ({ ...one, value }))
  return { ...added, ...variants.changeOption(added.options, { ...option, name, values }) }
}

/** A product with sizes and papers, whose variants are saved. */
function twoOptions(): SkuSource {
  let choices: SkuSource = emptyDraft('EUR', 'Front')
  choices = withOption(choices, 'Size', 'A5')
  choices = withValue(choices, optionAt(choices, 0), 'A6')
  choices = withOption(choices, 'Paper', 'matt')
  choices = withValue(choices, optionAt(choices, 1), 'high gloss')
  const [first] = choices.variants
  assert.ok(first !== undefined)
  choices = { ...choices, variants: [{ ...first, sku: 'CARD-A5-matt', weightGrams: 7 }] }
  const all = variants.addMissing(choices)
  return { ...choices, variants: all.map((variant, index) => ({ ...variant, id: `var_${index}` })) }
}

const optionAt = ({ options }: variants.Choices, index: number) => options[index] ?? assert.fail()

test('variants are generated for the combinations that have none, with SKUs of their values', () => {
  const { variants: made } = twoOptions()
  assert.deepEqual(
    made.map(({ sku, weightGrams }) => [sku, weightGrams]),
    [
      ['CARD-A5-matt', 7],
      ['CARD-A5-high-gloss', 7],
      ['CARD-A6-matt', 7],
      ['CARD-A6-high-gloss', 7],
    ],
  )
  assert.equal(variants.missingCombinations(twoOptions()).length, 0)
})

// Designs and orders name variants by id: a new name must not make new variants.
test('variants keep their ids when an option or a value gets another name, even that of another one for a moment', () => {
  let choices = twoOptions()
  for (const name of ['Paper', 'Papers', 'Format']) {
    choices = { ...choices, ...variants.changeOption(choices.options, { ...optionAt(choices, 0), name }) }
  }
  for (const value of ['A5', 'A56']) {
    const option = optionAt(choices, 0)
    const values = option.values.map((one, index) => (index === 1 ? { ...one, value } : one))
    choices = { ...choices, ...variants.changeOption(choices.options, { ...option, values }) }
  }
  assert.deepEqual(
    choices.variants.map((variant) => [variant.id, namesOf(variant, choices.options)]),
    [
      ['var_0', { Format: 'A5', Paper: 'matt' }],
      ['var_1', { Format: 'A5', Paper: 'high gloss' }],
      ['var_2', { Format: 'A56', Paper: 'matt' }],
      ['var_3', { Format: 'A56', Paper: 'high gloss' }],
    ],
  )
})

test('a removed value takes its variants along, and of those that differ only in a removed option the first one stays', () => {
  const choices = twoOptions()
  const size = optionAt(choices, 0)
  const fewer = variants.removeValue(choices, size, size.values[0]?.key ?? '')
  assert.deepEqual(
    fewer.variants.map(({ id }) => id),
    ['var_2', 'var_3'],
  )
  const simple = variants.removeOption(choices, size.key)
  assert.deepEqual(
    simple.variants.map((variant) => [variant.id, namesOf(variant, simple.options)]),
    [
      ['var_0', { Paper: 'matt' }],
      ['var_1', { Paper: 'high gloss' }],
    ],
  )
})

test('a new value has variants for the combinations that the other values have, with their weights and prices', () => {
  const choices = twoOptions()
  const [first, , third] = choices.variants
  assert.ok(first !== undefined && third !== undefined)
  // A6 is only on sale on matt paper.
  const sold = { ...choices, variants: [first, { ...third, weightGrams: 3 }] }
  const bigger = variants.addValue(sold, optionAt(sold, 0), { key: 'A4', value: 'A4' })
  assert.deepEqual(
    bigger.variants.map(({ id, sku, weightGrams }) => [id, sku, weightGrams]),
    [
      ['var_0', 'CARD-A5-matt', 7],
      ['var_2', 'CARD-A6-matt', 3],
      [undefined, 'CARD-A4-matt', 7],
    ],
  )
  const all = { ...sold, ...variants.addValue(sold, optionAt(sold, 1), { key: 'soft', value: 'soft' }) }
  assert.deepEqual(
    all.variants.map(({ sku, weightGrams }) => [sku, weightGrams]),
    [
      ['CARD-A5-matt', 7],
      ['CARD-A5-soft', 7],
      ['CARD-A6-matt', 3],
      ['CARD-A6-soft', 3],
    ],
  )
})

test('proposed SKUs follow the name, the values and the first SKU until they are changed', () => {
  let draft: SkuSource = emptyDraft('EUR', 'Front')
  const change = (changes: Partial<SkuSource>): void => {
    const after = { ...draft, ...changes }
    draft = { ...after, variants: followProposals(draft, after) }
  }
  const setSku = (index: number, sku: string): void =>
    change({ variants: draft.variants.map((one, at) => (at === index ? { ...one, sku } : one)) })
  const setValue = (index: number, value: string): void => {
    const option = optionAt(draft, 0)
    const values = option.values.map((one, at) => (at === index ? { ...one, value } : one))
    change(variants.changeOption(draft.options, { ...option, values }))
  }
  const skus = (): string[] => draft.variants.map(({ sku }) => sku)
  change({ name: 'Großer Bierdeckel' })
  assert.deepEqual(skus(), ['GROSSER-BIERDECKEL'])
  change(variants.addOption(draft))
  setValue(0, 'matt')
  change(variants.addValue(draft, optionAt(draft, 0), { key: 'second', value: '' }))
  setValue(1, 'glänzend')
  assert.deepEqual(skus(), ['GROSSER-BIERDECKEL-MATT', 'GROSSER-BIERDECKEL-GLANZEND'])
  change({ name: 'Großer Bierdeckel aus dicker Pappe mit abgerundeten Ecken und Goldrand' })
  const start = 'GROSSER-BIERDECKEL-AUS-DICKER-PAPPE-MIT-ABGERUNDETEN-ECKEN'
  assert.deepEqual(skus(), [`${start}-MATT`, `${start.slice(0, -3)}-GLANZEND`])
  setSku(0, 'BD-MATT')
  assert.deepEqual(skus(), ['BD-MATT', 'BD-GLANZEND'])
  // Options of the same name, here none, keep their values apart.
  change(variants.addOption(draft))
  assert.deepEqual(skus(), ['BD-MATT', 'BD-GLANZEND'])
  setSku(1, '4711')
  setSku(0, 'bd-matt')
  change({ name: 'Mat' })
  assert.deepEqual(skus(), ['bd-matt', '4711'])
  change(variants.removeValue(draft, optionAt(draft, 0), optionAt(draft, 0).values[0]?.key ?? ''))
  assert.deepEqual(skus(), ['4711'])
})

test('an area is drawn to scale in the middle of its frame', () => {
  const { scale, trim, bleed, safe } = placeArea(
    { widthMm: 100, heightMm: 50, bleedMm: 5, safeMarginMm: 10 },
    { width: 300, height: 200 },
    40,
  )
  assert.equal(scale, 2)
  assert.deepEqual(trim, { x: 50, y: 50, width: 200, height: 100 })
  assert.deepEqual(bleed, { x: 40, y: 40, width: 220, height: 120 })
  assert.deepEqual(safe, { x: 70, y: 70, width: 160, height: 60 })
})

test('the outline inside a flat ellipse does not cross itself', () => {
  const points = [...ellipseOutline({ x: 0, y: 0, width: 200, height: 40 }, -15).matchAll(/(-?[\d.]+) (-?[\d.]+)/g)]
  assert.ok(points.length > 10)
  for (const [, x, y] of points) {
    assert.ok(Math.abs(Number(y) - 20) <= 5.01, `${x} ${y} is above the inner outline`)
  }
})
