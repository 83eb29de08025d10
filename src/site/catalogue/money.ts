import { minorDigits } from '../../platform/currencies.ts'

/** Returns an amount of minor units as schema.org wants it, such as `1.20`. */
export function inUnits(amount: number, currency: string): string {
  const digits = minorDigits(currency)
  return (amount / 10 ** digits).toFixed(digits)
}
