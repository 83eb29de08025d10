/** Where the goods go, as far as taxes ask. */
export interface TaxDestination {
  country: string
  region?: string
  postalCode?: string
}

/** What is sold, in minor units of one currency. */
export interface TaxedSale {
  currency: string
  /** The total of each item. */
  lines: readonly number[]
  shipping: number
}

export interface TaxResult {
  /** In minor units. */
  tax: number
  /** Whether the prices contain it (true), or it comes on top (false). */
  taxIncluded: boolean
}

/** Reckons the tax of sales to one destination. Asks nobody, because it is called within a transaction. */
export type TaxCalculator = (sale: TaxedSale) => TaxResult

/** Where tax rates come from: the shop's own table, or somebody who knows them. */
export interface TaxProvider {
  /** Asked before the transaction that makes an order or a quote, so that it may ask others, and fail. */
  calculatorFor(destination: TaxDestination): Promise<TaxCalculator>
}
