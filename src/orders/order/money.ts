import { type Static, Type } from 'typebox'

/** An amount in responses. In code, amounts are integers, and an order names its currency once. */
export const MoneyBody = Type.Object(
  {
    amount: Type.Integer({ description: 'In minor units of the currency: 1250 is 12.50 EUR.' }),
    currency: Type.String({ description: 'ISO 4217 code.' }),
  },
  { additionalProperties: false, title: 'Money' },
)
export type MoneyBody = Static<typeof MoneyBody>

export const PositiveMoney = Type.Object(
  {
    amount: Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: 'In minor units of the currency.' }),
    currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code.' }),
  },
  { additionalProperties: false, title: 'PositiveMoney' },
)
export type PositiveMoney = Static<typeof PositiveMoney>

/** The amounts of a quote or an order, in minor units of its currency. */
export interface Amounts {
  currency: string
  subtotal: number
  shipping: number
  tax: number
  total: number
  /** True: `subtotal` and `shipping` include the tax. False: the tax is added to them. */
  taxIncluded: boolean
}

export const AmountsBody = Type.Object(
  {
    subtotal: MoneyBody,
    shipping: MoneyBody,
    tax: MoneyBody,
    total: MoneyBody,
  },
  { additionalProperties: false, title: 'Amounts' },
)

export function toMoney(amount: number, currency: string): MoneyBody {
  return { amount, currency }
}

export function toAmountsBody({ currency, subtotal, shipping, tax, total }: Amounts): Static<typeof AmountsBody> {
  return {
    subtotal: toMoney(subtotal, currency),
    shipping: toMoney(shipping, currency),
    tax: toMoney(tax, currency),
    total: toMoney(total, currency),
  }
}
