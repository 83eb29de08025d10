import type { Order } from '@platen/client'
import { type Money, minorDigits } from '@platen/ui'

/** Returns what was captured and is neither refunded nor reserved for a refund. */
export function refundableOf({ payment }: Pick<Order, 'payment'>): Money {
  const { capturedAmount, refundedAmount, refunds } = payment
  const promised = refunds
    .filter(({ status }) => status === 'pending')
    .reduce((sum, { amount }) => sum + amount.amount, 0)
  return { amount: capturedAmount.amount - refundedAmount.amount - promised, currency: capturedAmount.currency }
}

/** An amount in units of the currency, as operators write it. */
export const inUnits = ({ amount, currency }: Money): number => amount / 10 ** minorDigits(currency)

/** An amount in minor units, as the service counts it. */
export const inMinorUnits = (units: number, currency: string): Money => ({
  amount: Math.round(units * 10 ** minorDigits(currency)),
  currency,
})
