import { Type } from 'typebox'
import { line, paragraph } from '../../platform/http/input/text.ts'
import { optionalBody } from '../order/bodies/requests.ts'
import { PositiveMoney } from '../order/money.ts'

const closed = { additionalProperties: false } as const

export const PayBody = optionalBody(
  Type.Object(
    {
      token: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description:
            'Token of the payment provider. With Stripe, the id of a PaymentMethod (`pm_...`), or none if the customer pays on a page of Stripe.',
        }),
      ),
    },
    closed,
  ),
)

export const RecordPaymentBody = Type.Object(
  {
    method: Type.Literal('manual'),
    reference: Type.Optional(
      line(200, {
        description: 'Reference by which the payment can be found, such as the number of a bank statement.',
      }),
    ),
    amount: Type.Optional(PositiveMoney),
  },
  closed,
)

export const RefundRequest = optionalBody(
  Type.Object({ amount: Type.Optional(PositiveMoney), reason: Type.Optional(paragraph(1000)) }, closed),
)
