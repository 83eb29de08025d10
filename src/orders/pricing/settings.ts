/** A way to send a parcel, and what it costs. */
export interface ShippingMethod {
  id: string
  name: string
  /** Flat price of a parcel in minor units, by ISO 4217 currency. A currency without a price is not shipped. */
  prices: Readonly<Record<string, number>>
  /** Working days from payment to the door. */
  estimatedDays: { min: number; max: number }
}

/**
 * What the shop charges besides its products: sample values, the same everywhere.
 * The first shipping method with a price in the order's currency is the default.
 */
export const SHIPPING_METHODS: readonly ShippingMethod[] = [
  {
    id: 'standard',
    name: 'Standard',
    prices: { EUR: 490, USD: 590, GBP: 450, CHF: 690 },
    estimatedDays: { min: 4, max: 7 },
  },
  {
    id: 'express',
    name: 'Express',
    prices: { EUR: 1490, USD: 1690, GBP: 1290, CHF: 1790 },
    estimatedDays: { min: 1, max: 2 },
  },
]

/** Percent of subtotal and shipping, by country of destination; elsewhere none. */
export const TAX_PERCENT: Readonly<Record<string, number>> = { DE: 19, FR: 20, NL: 21 }

/** Whether prices contain the tax, or it is added to them. */
export const TAX_INCLUDED = false

/** A quote holds its prices for half an hour. */
export const QUOTE_SECONDS = 30 * 60
