import type { Payment } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'

const STATUS: Readonly<Record<Payment['refunds'][number]['status'], MessageKey>> = {
  pending: 'order.refundPending',
  succeeded: 'order.refundDone',
  failed: 'order.refundFailed',
}

/** When an order was paid, and what was paid back. */
export function Refunds({ payment }: { payment: Payment }) {
  const { text, formats } = useTexts()
  const { capturedAt, refunds } = payment
  if (capturedAt === null && refunds.length === 0) return null
  return (
    <ul className="payments">
      {capturedAt === null ? null : <li>{text('order.paidOn', { date: formats.date(capturedAt) })}</li>}
      {refunds.map(({ id, status, amount, createdAt }) => (
        <li key={id}>{text(STATUS[status], { amount: formats.money(amount), date: formats.date(createdAt) })}</li>
      ))}
    </ul>
  )
}
