import { type Static, Type } from 'typebox'

/** An amount of money on the wire. Inside, amounts are plain integers beside one currency. */
export const MoneyBody = Type.Object(
  {
    amount: Type.Integer({ description: 'In minor units of the currency: 1250 is 12.50 EUR.' }),
    currency: Type.String({ description: 'ISO 4217 code.' }),
  },
  { additionalProperties: false, title: 'Money' },
)
export type MoneyBody = Static<typeof MoneyBody>

/** A positive amount that a client names. */
export const PositiveMoney = Type.Object(
  {
    amount: Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: 'In minor units of the currency.' }),
    currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code.' }),
  },
  { additionalProperties: false },
)
export type PositiveMoney = Static<typeof PositiveMoney>

/** What a quote or an order costs, in minor units of its currency. */
export interface Amounts {
  currency: string
  subtotal: number
  shipping: number
  tax: number
  total: number
  /** Whether the tax is contained in subtotal and shipping (true), or comes on top (false). */
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
