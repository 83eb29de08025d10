/** Returns an amount of minor units as schema.org wants it, such as `1.20`. */
export function inUnits(amount: number, currency: string): string {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions()
  return (amount / 10 ** digits).toFixed(digits)
}
