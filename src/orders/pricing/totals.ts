import type { Amounts } from '../order/money.ts'
import type { TaxCalculator } from '../tax/provider.ts'

/** Sums above are refused: they are typing mistakes, and must stay exact in every client's arithmetic. */
export const MAX_TOTAL = 1_000_000_000_000

/**
 * Adds up an order. All amounts are whole minor units of the currency, whatever part of its unit they are.
 *
 * @param lines the total of each item
 * @returns `total = subtotal + shipping + tax`, or with `taxIncluded` `total = subtotal + shipping`, the tax contained
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
