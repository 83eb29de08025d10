/**
 * Stripe counts most currencies in the minor units of ISO 4217, as we do. The exceptions are those of
 * https://docs.stripe.com/currencies#special-cases: these it counts in hundredths although they have none,
 */
const IN_HUNDREDTHS = new Set(['ISK', 'UGX'])

/** these in whole units although they have hundredths, */
const IN_WHOLE_UNITS = new Set(['MGA'])

/** and of these it takes no thousandths, although it counts in them. */
const LAST_DIGIT_ZERO = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/**
 * An amount as Stripe wants it; undefined where Stripe cannot move exactly this amount.
 *
 * @param amount in minor units of ISO 4217
 */
export function toStripeAmount(amount: number, currency: string): number | undefined {
  if (IN_HUNDREDTHS.has(currency)) return amount * 100
  if (IN_WHOLE_UNITS.has(currency)) return amount % 100 === 0 ? amount / 100 : undefined
  return LAST_DIGIT_ZERO.has(currency) && amount % 10 !== 0 ? undefined : amount
}

/** The reverse. */
export function fromStripeAmount(amount: number, currency: string): number {
  if (IN_HUNDREDTHS.has(currency)) return amount / 100
  return IN_WHOLE_UNITS.has(currency) ? amount * 100 : amount
}
