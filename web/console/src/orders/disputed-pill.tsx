import type { Order } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Pill } from '../parts/pill.tsx'

/** Marks an order whose payment the customer disputes at the bank. The status of the payment does not tell it. */
export function DisputedPill({ payment }: Pick<Order, 'payment'>) {
  const { text } = useTexts()
  return payment.disputedAt === undefined ? null : <Pill tone="danger">{text('console.disputed')}</Pill>
}
