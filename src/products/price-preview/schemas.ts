import { Type } from 'typebox'
import { currency, PriceTiersBody } from '../schemas.ts'

const closed = { additionalProperties: false } as const

export const PricePreviewRequest = Type.Object(
  {
    currency,
    priceTiers: PriceTiersBody,
    quantities: Type.Array(Type.Integer({ minimum: 1, maximum: 1_000_000 }), { minItems: 1, maxItems: 50 }),
  },
  closed,
)

const MoneyBody = Type.Object({ amount: Type.Integer(), currency: Type.String() }, closed)

export const PricePreviewBody = Type.Object(
  {
    prices: Type.Array(
      Type.Object({ quantity: Type.Integer(), unitAmount: MoneyBody, totalAmount: MoneyBody }, closed),
      { description: 'In the order of `quantities`.' },
    ),
  },
  { ...closed, title: 'PricePreview' },
)
