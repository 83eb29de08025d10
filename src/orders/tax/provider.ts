/** The parts of a postal address that tax can depend on. */
export interface TaxDestination {
  country: string
  region?: string
  postalCode?: string
}

/** A sale to be taxed, in minor units of one currency. */
export interface TaxedSale {
  currency: string
  lines: readonly number[]
  shipping: number
}

export interface TaxResult {
  tax: number
  /** True: prices include the tax. False: it is added. */
  taxIncluded: boolean
}

/** Calculates the tax of a sale. Sends no requests, because it runs in a transaction. */
export type TaxCalculator = (sale: TaxedSale) => TaxResult

/** Source of tax rates: the table of the shop, or an external service. */
export interface TaxProvider {
  /** Called before the transaction that creates an order or a quote, so it may send requests. */
  calculatorFor(destination: TaxDestination): Promise<TaxCalculator>
}
