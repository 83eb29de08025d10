/**
 * Currencies without minor units of which Stripe counts hundredths. For other currencies, Stripe mostly uses the minor
 * units of ISO 4217; https://docs.stripe.com/currencies#special-cases lists all exceptions.
 */
const IN_HUNDREDTHS = new Set(['ISK', 'UGX'])

/** Currencies with hundredths of which Stripe counts whole units. */
const IN_WHOLE_UNITS = new Set(['MGA'])

/** Currencies of which Stripe counts thousandths, but accepts only multiples of ten. */
const LAST_DIGIT_ZERO = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/**
 * Converts an amount to the unit of Stripe. Returns undefined if Stripe cannot transfer exactly this amount.
 *
 * @param amount in minor units of ISO 4217
 */
export function toStripeAmount(amount: number, currency: string): number | undefined {
  if (IN_HUNDREDTHS.has(currency)) return amount * 100
  if (IN_WHOLE_UNITS.has(currency)) return amount % 100 === 0 ? amount / 100 : undefined
  return LAST_DIGIT_ZERO.has(currency) && amount % 10 !== 0 ? undefined : amount
}

/** @throws if Stripe cannot transfer exactly this amount */
export function requireAmount(amount: number, currency: string): number {
  const stripeAmount = toStripeAmount(amount, currency)
  if (stripeAmount === undefined) throw new Error(`Stripe cannot move ${amount} minor units of ${currency}`)
  return stripeAmount
}

export function fromStripeAmount(amount: number, currency: string): number {
  if (IN_HUNDREDTHS.has(currency)) return amount / 100
  return IN_WHOLE_UNITS.has(currency) ? amount * 100 : amount
}
