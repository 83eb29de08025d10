/** The parts of a postal address that determine the tax. */
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
  /** True: prices include the tax. False: the tax is added to them. */
  taxIncluded: boolean
}

/** Calculates the tax of a sale. It runs in a transaction, so it must not send requests. */
export type TaxCalculator = (sale: TaxedSale) => TaxResult

/** Source of tax rates: the table of the shop, or an external service. */
export interface TaxProvider {
  /**
   * Creates the calculator for a destination. Called before the transaction that creates an order or a quote, so it may
   * send requests.
   */
  calculatorFor(destination: TaxDestination): Promise<TaxCalculator>
}
