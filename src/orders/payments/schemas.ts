import { type Static, Type } from 'typebox'
import { line, paragraph } from '../../platform/http/input/text.ts'
import { MoneyBody, PositiveMoney, toMoney } from '../order/money.ts'
import { optionalBody } from '../order/requests.ts'
import type { RefundStatus } from '../order/state.ts'
import type { OrderRefund } from '../order/store.ts'

const closed = { additionalProperties: false } as const

export const PayBody = optionalBody(
  Type.Object(
    {
      token: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'Token of the payment provider. With Stripe, the id of a PaymentMethod (`pm_...`).',
        }),
      ),
    },
    closed,
  ),
)

/** What the customer has to do before a payment can go on. */
export const NextActionBody = Type.Object(
  {
    type: Type.String({
      description: 'Kind of action in the terms of the payment provider: `use_stripe_sdk`, `redirect_to_url`.',
    }),
    clientSecret: Type.Optional(
      Type.String({ description: 'Secret for the library of the payment provider in the page.' }),
    ),
    redirectUrl: Type.Optional(Type.String({ description: 'URL to which the client sends the customer.' })),
  },
  { ...closed, title: 'NextAction' },
)

export const RecordPaymentBody = Type.Object(
  {
    method: Type.Literal('manual'),
    reference: Type.Optional(
      line(200, { description: 'Reference under which the payment can be found, such as a bank statement.' }),
    ),
    amount: Type.Optional(PositiveMoney),
  },
  closed,
)

export const RefundRequest = optionalBody(
  Type.Object({ amount: Type.Optional(PositiveMoney), reason: Type.Optional(paragraph(1000)) }, closed),
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

export function toRefundBody(refund: OrderRefund, currency: string): RefundBody {
  const { id, status, amount, reason, createdAt } = refund
  return { id, amount: toMoney(amount, currency), reason, createdAt: createdAt.toISOString(), status }
}
