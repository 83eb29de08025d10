import { isDeepStrictEqual } from 'node:util'
import type { LineFaultBody } from '../../platform/csv/csv-body.ts'
import { minorDigits } from '../../platform/currencies.ts'
import { checkProduct } from '../rules.ts'
import type { PriceTiers, Product, Variant } from '../schemas.ts'
import { type Columns, TITLES } from './columns.ts'
import type { ImportLine } from './read-line.ts'

export interface AppliedLines {
  /** The product with the values of all lines. */
  product: Product
  /** The faults of each line; empty for a good one. */
  faultsOf: ReadonlyMap<ImportLine, LineFaultBody[]>
  /** Lines that change nothing. */
  unchanged: ReadonlySet<ImportLine>
}

/** Returns a product with the values of its lines, and what is wrong with them by the rules of products. */
export function applyLines(product: Product, lines: readonly ImportLine[], columns: Columns): AppliedLines {
  const titleOf = (column: keyof typeof TITLES) => columns.found.get(column)?.title ?? TITLES[column]
  const faultsOf = new Map<ImportLine, LineFaultBody[]>(lines.map((line) => [line, [...line.errors]]))
  const lineOf = new Map<number, ImportLine>()
  const unchanged = new Set<ImportLine>()
  const variants = [...product.variants]
  for (const line of lines) {
    const faults = faultsOf.get(line) ?? []
    const index = indexOf(product.variants, line)
    const before = product.variants[index]
    if (line.revision !== undefined && line.revision !== product.revision) {
      const detail = `The product has revision ${product.revision} now. Export it again.`
      faults.push({ code: 'product_changed', column: titleOf('revision'), detail })
    }
    if (before === undefined) {
      faults.push(missingVariant(line, titleOf))
      continue
    }
    const earlier = lineOf.get(index)
    if (earlier !== undefined) {
      const detail = `Line ${earlier.line} names the same variant.`
      faults.push({
        code: 'variant_repeated',
        column: titleOf(line.variantId === undefined ? 'sku' : 'variantId'),
        detail,
      })
      continue
    }
    lineOf.set(index, line)
    const after = changed(before, line, product.currency, faults)
    variants[index] = after
    if (isDeepStrictEqual(before, after)) unchanged.add(line)
  }
  const result = { ...product, variants }
  addRuleFaults(result, { lineOf, faultsOf, columns, titleOf })
  return { product: result, faultsOf, unchanged }
}

/** A line names its variant by id. Without one, it does so by its SKU. */
const indexOf = (variants: readonly Variant[], { variantId, sku }: ImportLine): number =>
  variants.findIndex((variant) => (variantId === undefined ? variant.sku === sku : variant.id === variantId))

function missingVariant(
  { variantId, sku }: ImportLine,
  titleOf: (column: 'variantId' | 'sku') => string,
): LineFaultBody {
  if (variantId === undefined && sku === undefined) {
    return {
      code: 'required',
      column: titleOf('variantId'),
      detail: 'The line names no variant, by its id or its SKU.',
    }
  }
  const column = titleOf(variantId === undefined ? 'sku' : 'variantId')
  return { code: 'variant_not_found', column, detail: 'The product has no such variant.' }
}

function changed(before: Variant, line: ImportLine, currency: string, faults: LineFaultBody[]): Variant {
  const { sku, weightGrams, available, prices } = line
  return {
    ...before,
    ...(sku === undefined ? {} : { sku }),
    ...(weightGrams === undefined ? {} : { weightGrams }),
    ...(available === undefined ? {} : { available }),
    ...(prices.length === 0 ? {} : { priceTiers: readPrices(prices, currency, faults) }),
  }
}

const MAX_AMOUNT = 1_000_000_000

export function readPrices(prices: ImportLine['prices'], currency: string, faults: LineFaultBody[]): PriceTiers {
  const digits = minorDigits(currency)
  return prices.map(({ minQuantity, text, title }) => {
    const [, units, decimals = ''] = /^(\d{1,10})(?:[.,](\d+))?$/.exec(text) ?? []
    const unitAmount = Number(`${units}${decimals.padEnd(digits, '0')}`)
    const fault = priceFault(units, decimals, digits, unitAmount)
    if (fault !== undefined) faults.push({ ...fault, column: title })
    return { minQuantity, unitAmount: fault === undefined ? unitAmount : 0 }
  })
}

function priceFault(units: string | undefined, decimals: string, digits: number, amount: number) {
  if (units === undefined) return { code: 'price_invalid', detail: 'The price is a number such as 12.50 or 12,50.' }
  if (decimals.length > digits) {
    return { code: 'too_many_decimals', detail: `A price in this currency has at most ${digits} decimals.` }
  }
  return amount > MAX_AMOUNT ? { code: 'too_large', detail: 'The price is too high.' } : undefined
}

interface Applied {
  lineOf: ReadonlyMap<number, ImportLine>
  faultsOf: ReadonlyMap<ImportLine, LineFaultBody[]>
  columns: Columns
  titleOf(column: 'sku'): string
}

/** Adds what is wrong with the product as a whole, such as two equal SKUs, to the lines of the variants. */
function addRuleFaults(product: Product, { lineOf, faultsOf, columns, titleOf }: Applied): void {
  for (const { code, pointer = '', detail } of checkProduct(product)) {
    const [, index, member] = /^\/variants\/(\d+)\/(\w+)/.exec(pointer) ?? []
    const line = lineOf.get(Number(index))
    // Without a line, the fault follows from that of another variant.
    if (line === undefined) continue
    const [first] = columns.prices
    const column = member === 'sku' ? titleOf('sku') : (line.prices[0]?.title ?? first?.title)
    faultsOf.get(line)?.push({ code, detail, ...(column === undefined ? {} : { column }) })
  }
}
