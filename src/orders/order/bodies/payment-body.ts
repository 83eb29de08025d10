import { type Static, Type } from 'typebox'
import { disputedSince } from '../disputes.ts'
import { MoneyBody, toMoney } from '../money.ts'
import { PAYMENT_STATUSES, type PaymentStatus, type RefundStatus } from '../state.ts'
import type { Order, OrderRefund } from '../store.ts'

const closed = { additionalProperties: false } as const

const NextActionBody = Type.Object(
  {
    type: Type.String({
      description:
        'What the customer does. `redirect`: pays on the page at `redirectUrl`. `processing`: waits for their bank. Other values are in the terms of the payment provider: `use_stripe_sdk`, `redirect_to_url`.',
    }),
    clientSecret: Type.Optional(
      Type.String({ description: 'Secret for the library of the payment provider in the page.' }),
    ),
    redirectUrl: Type.Optional(
      Type.String({ description: 'URL to which the client sends the customer. It begins with `https:`.' }),
    ),
  },
  { ...closed, title: 'NextAction' },
)

export const RefundBody = Type.Object(
  {
    id: Type.String(),
    amount: MoneyBody,
    reason: Type.Union([Type.String(), Type.Null()]),
    createdAt: Type.String({ format: 'date-time' }),
    status: Type.Unsafe<RefundStatus>({
      type: 'string',
      enum: ['pending', 'succeeded', 'failed'],
      description: '`pending`: the amount is reserved, and the payment provider has not confirmed the refund yet.',
    }),
  },
  { ...closed, title: 'Refund' },
)
export type RefundBody = Static<typeof RefundBody>

export const PaymentBody = Type.Object(
  {
    id: Type.String(),
    status: Type.Unsafe<PaymentStatus>({ type: 'string', enum: PAYMENT_STATUSES }),
    method: Type.Union([Type.String(), Type.Null()], { description: 'Payment method. Null until the order is paid.' }),
    reference: Type.Union([Type.String(), Type.Null()]),
    amount: MoneyBody,
    capturedAmount: MoneyBody,
    refundedAmount: MoneyBody,
    capturedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    disputedAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Present while a dispute (chargeback) is open: when the service learned of the oldest of them.',
      }),
    ),
    refunds: Type.Array(RefundBody),
    nextAction: Type.Optional(NextActionBody),
  },
  { ...closed, title: 'Payment' },
)

export function toPaymentBody({ payment, timeline, amounts: { currency } }: Order): Static<typeof PaymentBody> {
  const disputedAt = disputedSince(timeline)
  return {
    id: payment.id,
    status: payment.status,
    method: payment.method,
    reference: payment.reference,
    amount: toMoney(payment.amount, currency),
    capturedAmount: toMoney(payment.capturedAmount, currency),
    refundedAmount: toMoney(payment.refundedAmount, currency),
    capturedAt: payment.capturedAt?.toISOString() ?? null,
    ...(disputedAt === null ? {} : { disputedAt: disputedAt.toISOString() }),
    refunds: payment.refunds.map((refund) => toRefundBody(refund, currency)),
  }
}

export function toRefundBody(refund: OrderRefund, currency: string): RefundBody {
  const { id, status, amount, reason, createdAt } = refund
  return { id, amount: toMoney(amount, currency), reason, createdAt: createdAt.toISOString(), status }
}
