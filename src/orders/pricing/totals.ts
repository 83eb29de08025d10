import type { Amounts } from '../order/money.ts'
import { SHIPPING_METHODS, type ShippingMethod, TAX_INCLUDED, TAX_PERCENT } from './settings.ts'

/** Sums above are refused: they are typing mistakes, and must stay exact in every client's arithmetic. */
export const MAX_TOTAL = 1_000_000_000_000

/**
 * Adds up an order. All amounts are whole minor units; the tax is rounded once for the whole order, halves up.
 *
 * @param lines the total of each item
 * @param taxPercent whole percent
 * @returns `total = subtotal + shipping + tax`, or with `taxIncluded` `total = subtotal + shipping`, the tax contained
 */
export function addUp(
  currency: string,
  lines: readonly number[],
  shipping: number,
  { taxPercent, taxIncluded }: { taxPercent: number; taxIncluded: boolean },
): Amounts {
  const subtotal = lines.reduce((sum, line) => sum + line, 0)
  const base = subtotal + shipping
  const tax = taxIncluded ? divideHalfUp(base * taxPercent, 100 + taxPercent) : divideHalfUp(base * taxPercent, 100)
  return { currency, subtotal, shipping, tax, total: taxIncluded ? base : base + tax, taxIncluded }
}

/** Divides whole numbers without passing through fractions, which binary numbers cannot hold exactly. */
function divideHalfUp(dividend: number, divisor: number): number {
  const remainder = dividend % divisor
  return (dividend - remainder) / divisor + (2 * remainder >= divisor ? 1 : 0)
}

/** How an order to this country is taxed here. */
export function taxRule(country: string): { taxPercent: number; taxIncluded: boolean } {
  return { taxPercent: TAX_PERCENT[country] ?? 0, taxIncluded: TAX_INCLUDED }
}

export type PricedShippingMethod = Omit<ShippingMethod, 'prices'> & { amount: number }

/** The shipping methods that have a price in this currency. */
export function shippingMethodsIn(currency: string): PricedShippingMethod[] {
  return SHIPPING_METHODS.flatMap(({ prices, ...method }) => {
    const amount = Object.hasOwn(prices, currency) ? prices[currency] : undefined
    return amount === undefined ? [] : [{ ...method, amount }]
  })
}
