import type { Order, Refund } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'
import { Facts, Section } from '../../parts/page/section.tsx'
import { refundableOf } from '../money.ts'
import { PaymentWarnings } from './payment-warnings.tsx'

const REFUND: Readonly<Record<Refund['status'], MessageKey>> = {
  pending: 'console.refundPending',
  succeeded: 'console.refundSucceeded',
  failed: 'console.refundFailed',
}

const METHODS: Readonly<Record<string, MessageKey>> = {
  manual: 'console.methodManual',
  stripe: 'console.methodStripe',
  test: 'console.methodTest',
}

/** What the order costs, what was paid, and what of it is left. */
export function PaymentSection({ order }: { order: Order }) {
  const { text, formats } = useTexts()
  const { amounts, payment } = order
  const { money } = formats
  const left = refundableOf(order)
  const method = METHODS[payment.method ?? '']
  return (
    <Section title={text('console.payment')}>
      <PaymentWarnings timeline={order.timeline} />
      <dl className="sums">
        <Sum name={text('console.subtotal')} value={money(amounts.subtotal)} />
        <Sum name={text('console.shipping')} value={money(amounts.shipping)} />
        <Sum name={text(order.taxIncluded ? 'console.taxIncluded' : 'console.tax')} value={money(amounts.tax)} />
        <Sum name={text('console.total')} value={money(amounts.total)} isTotal />
        <Sum name={text('console.captured')} value={money(payment.capturedAmount)} />
        {payment.refundedAmount.amount === 0 ? null : (
          <Sum name={text('console.refunded')} value={`−${money(payment.refundedAmount)}`} />
        )}
        {payment.refunds.length === 0 ? null : <Sum name={text('console.refundable')} value={money(left)} isTotal />}
      </dl>
      <Refunds refunds={payment.refunds} />
      <Facts
        facts={[
          [text('console.paymentMethod'), method === undefined ? payment.method : text(method)],
          [text('console.reference'), payment.reference],
          [text('console.paidOn'), payment.capturedAt === null ? null : formats.dateTime(payment.capturedAt)],
        ]}
      />
    </Section>
  )
}

function Sum({ name, value, isTotal = false }: { name: string; value: string; isTotal?: boolean }) {
  return (
    <div className={isTotal ? 'total' : ''}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Refunds({ refunds }: { refunds: readonly Refund[] }) {
  const { text, formats } = useTexts()
  if (refunds.length === 0) return null
  return (
    <ul className="refunds" aria-label={text('console.refunds')}>
      {refunds.map((refund) => (
        <li key={refund.id}>
          <span>
            {text(REFUND[refund.status], { amount: formats.money(refund.amount) })}
            {refund.reason === null ? null : <span className="note"> {refund.reason}</span>}
          </span>
          <time className="note" dateTime={refund.createdAt}>
            {formats.dateTime(refund.createdAt)}
          </time>
        </li>
      ))}
    </ul>
  )
}
