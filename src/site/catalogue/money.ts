const digitsOf = new Map<string, number>()

/** Returns an amount of minor units as schema.org wants it, such as `1.20`. */
export function inUnits(amount: number, currency: string): string {
  const digits = digitsOf.get(currency) ?? readDigits(currency)
  digitsOf.set(currency, digits)
  return (amount / 10 ** digits).toFixed(digits)
}

function readDigits(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
}
