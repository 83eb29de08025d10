import type { Order } from '@platen/client'
import type { Money } from '@platen/ui'

/** Returns what was captured and is neither refunded nor reserved for a refund. */
export function refundableOf({ payment }: Pick<Order, 'payment'>): Money {
  const { capturedAmount, refundedAmount, refunds } = payment
  const promised = refunds
    .filter(({ status }) => status === 'pending')
    .reduce((sum, { amount }) => sum + amount.amount, 0)
  return { amount: capturedAmount.amount - refundedAmount.amount - promised, currency: capturedAmount.currency }
}
