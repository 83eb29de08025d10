import { escapePointer } from '../platform/http/input/strict-json.ts'
import type { ProblemDetail } from '../platform/problem.ts'
import type { PriceTiers, PrintArea, Product, ProductOption } from './schemas.ts'

/** The members of a product that the rules check. Variants may lack their ids. */
export type CheckedProduct = Pick<Product, 'currency' | 'printAreas' | 'options'> & {
  variants: Omit<Product['variants'][number], 'id'>[]
}

/**
 * Returns the price of one piece for a quantity, in minor units.
 *
 * @param tiers in ascending order, starting with a quantity of one; `checkProduct` guarantees this
 * @throws {RangeError} for a quantity below the first tier
 */
export function unitAmountFor(tiers: PriceTiers, quantity: number): number {
  const tier = tiers.findLast(({ minQuantity }) => minQuantity <= quantity)
  if (tier === undefined) throw new RangeError(`no price tier applies to a quantity of ${quantity}`)
  return tier.unitAmount
}

/** Checks the rules of products that a schema cannot express, and returns one entry per fault. */
export function checkProduct(product: CheckedProduct): ProblemDetail[] {
  return [
    ...checkCurrency(product.currency),
    ...duplicates(
      product.printAreas,
      ({ id }) => id,
      (index) => `/printAreas/${index}/id`,
    ),
    ...product.printAreas.flatMap((area, index) => checkPrintArea(area, `/printAreas/${index}`)),
    ...duplicates(
      product.options,
      ({ name }) => name,
      (index) => `/options/${index}/name`,
    ),
    ...duplicates(
      product.variants,
      ({ sku }) => sku,
      (index) => `/variants/${index}/sku`,
    ),
    ...duplicates(
      product.variants,
      (variant) => JSON.stringify(product.options.map(({ name }) => chosenValue(variant.options, name))),
      (index) => `/variants/${index}/options`,
    ),
    ...product.variants.flatMap((variant, index) => [
      ...checkChoices(variant.options, product.options, `/variants/${index}/options`),
      ...checkTiers(variant.priceTiers, `/variants/${index}/priceTiers`),
    ]),
  ]
}

/**
 * Currencies whose ISO 4217 code begins with X. All other codes that begin with X are metals, units of account and test
 * codes.
 */
const SUPRANATIONAL = new Set(['XAF', 'XCD', 'XCG', 'XOF', 'XPF'])
const CURRENCIES = new Set(
  Intl.supportedValuesOf('currency').filter((code) => !code.startsWith('X') || SUPRANATIONAL.has(code)),
)

/** Tells whether a code is a currency of ISO 4217. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code)
}

export function checkCurrency(currency: string): ProblemDetail[] {
  if (isCurrency(currency)) return []
  return [fault('currency_unknown', '/currency', 'The value is not a currency code of ISO 4217.')]
}

const LENGTHS = ['widthMm', 'heightMm', 'bleedMm', 'safeMarginMm'] as const

/** The length of 14,400 points, the longest side of a page that PDF readers must support (ISO 32000-1, annex C.2). */
const MAX_PAGE_MM = 5080

function checkPrintArea(area: PrintArea, pointer: string): ProblemDetail[] {
  const faults = LENGTHS.filter((name) => Math.round(area[name] * 1000) / 1000 !== area[name]).map((name) =>
    fault('too_many_decimals', `${pointer}/${name}`, 'A length can have at most 3 decimals.'),
  )
  for (const side of ['widthMm', 'heightMm'] as const) {
    // Compares whole micrometres, because sums of binary fractions are inexact.
    if (Math.round((area[side] + area.bleedMm * 2) * 1000) <= MAX_PAGE_MM * 1000) continue
    const detail = `Including the bleed at both ends, a page can be at most ${MAX_PAGE_MM} mm long, the limit of PDF.`
    faults.push(fault('page_too_large', `${pointer}/${side}`, detail))
  }
  if (area.safeMarginMm * 2 >= Math.min(area.widthMm, area.heightMm)) {
    faults.push(
      fault('safe_margin_too_large', `${pointer}/safeMarginMm`, 'The safe margins leave no room between them.'),
    )
  }
  if (area.minDpi !== undefined && area.minDpi > area.targetDpi) {
    faults.push(
      fault(
        'min_dpi_above_target',
        `${pointer}/minDpi`,
        `minDpi must be at most ${area.targetDpi}, the targetDpi of the print area.`,
      ),
    )
  }
  return faults
}

function checkChoices(chosen: Record<string, string>, options: ProductOption[], pointer: string): ProblemDetail[] {
  const faults: ProblemDetail[] = []
  for (const { name, values } of options) {
    const value = chosenValue(chosen, name)
    const place = `${pointer}/${escapePointer(name)}`
    if (value === undefined)
      faults.push(fault('option_missing', place, `The variant has no value for the option "${name}".`))
    else if (!values.includes(value))
      faults.push(fault('option_value_unknown', place, `The option "${name}" has no value "${value}".`))
  }
  for (const name of Object.keys(chosen)) {
    if (!options.some((option) => option.name === name))
      faults.push(
        fault('option_unknown', `${pointer}/${escapePointer(name)}`, 'The product has no option of this name.'),
      )
  }
  return faults
}

/** Names come from clients. A name such as "constructor" must not find an inherited member. */
function chosenValue(chosen: Record<string, string>, name: string): string | undefined {
  return Object.hasOwn(chosen, name) ? chosen[name] : undefined
}

export function checkTiers(tiers: PriceTiers, pointer: string): ProblemDetail[] {
  const faults: ProblemDetail[] = []
  tiers.forEach(({ minQuantity }, index) => {
    const before = tiers[index - 1]?.minQuantity
    const place = `${pointer}/${index}/minQuantity`
    if (before === undefined) {
      if (minQuantity !== 1) faults.push(fault('first_tier_not_one', place, 'minQuantity of the first tier must be 1.'))
    } else if (minQuantity <= before) {
      faults.push(
        fault(
          'tiers_not_ascending',
          place,
          `minQuantity must be more than ${before}, the minQuantity of the previous tier.`,
        ),
      )
    }
  })
  return faults
}

function duplicates<Item>(
  items: Item[],
  keyOf: (item: Item) => string,
  pointerOf: (index: number) => string,
): ProblemDetail[] {
  const seen = new Set<string>()
  const faults: ProblemDetail[] = []
  items.forEach((item, index) => {
    const key = keyOf(item)
    if (seen.has(key)) faults.push(fault('duplicate', pointerOf(index), 'An earlier entry already has this value.'))
    seen.add(key)
  })
  return faults
}

function fault(code: string, pointer: string, detail: string): ProblemDetail {
  return { code, pointer, detail }
}

/** Returns the lowest price of a piece that can be ordered, in minor units. */
export function lowestAmount({ variants }: Pick<Product, 'variants'>): number | undefined {
  const amounts = variants
    .filter(({ available }) => available)
    .flatMap(({ priceTiers }) => priceTiers.map(({ unitAmount }) => unitAmount))
  return amounts.length === 0 ? undefined : Math.min(...amounts)
}
