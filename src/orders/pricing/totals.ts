import type { Amounts } from '../order/money.ts'
import type { TaxCalculator } from '../tax/provider.ts'

/**
 * A larger total is probably a typing error. Up to this limit, clients can calculate exactly with floating-point
 * numbers.
 */
export const MAX_TOTAL = 1_000_000_000_000

/**
 * Calculates the amounts of an order in minor units of the currency.
 *
 * @param lines total of each item
 * @returns amounts with `total = subtotal + shipping + tax`; with `taxIncluded`, subtotal and shipping contain the tax,
 *   so `total = subtotal + shipping`
 */
export function calculateAmounts(
  currency: string,
  lines: readonly number[],
  shipping: number,
  calculateTax: TaxCalculator,
): Amounts {
  const subtotal = lines.reduce((sum, line) => sum + line, 0)
  const { tax, taxIncluded } = calculateTax({ currency, lines, shipping })
  const total = subtotal + shipping + (taxIncluded ? 0 : tax)
  return { currency, subtotal, shipping, tax, total, taxIncluded }
}
