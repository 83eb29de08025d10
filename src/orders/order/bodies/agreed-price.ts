import { type Static, Type } from 'typebox'
import { line } from '../../../platform/http/input/text.ts'
import type { TimelineType } from '../../events.ts'
import { MoneyBody, toMoney } from '../money.ts'
import type { AgreedPrice } from '../order.ts'

/** The type of the timeline entry that states why a price was agreed on. */
export const PRICE_AGREED = 'order.price_agreed' satisfies TimelineType

const closed = { additionalProperties: false } as const

export const AgreedPriceInput = Type.Object(
  {
    unitPrice: Type.Object(
      {
        amount: Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'In minor units of the currency.' }),
        currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code: the currency of the design.' }),
      },
      closed,
    ),
    reason: line(300, { description: 'Why the price differs. The customer sees it.' }),
  },
  {
    ...closed,
    title: 'NewAgreedPrice',
    description:
      'Price of one piece that an operator agreed on with the customer, instead of the locked price. It needs `Platen-Customer` and the permission `prices:write`.',
  },
)
export type AgreedPriceInput = Static<typeof AgreedPriceInput>

export const AgreedPriceBody = Type.Object(
  { listUnitPrice: MoneyBody, reason: Type.String() },
  {
    ...closed,
    title: 'AgreedPrice',
    description:
      'Present if an operator agreed on `unitPrice` with the customer. `listUnitPrice` is the locked price for the quantity.',
  },
)

/** Returns the member of an item that states its agreed price, if it has one. */
export function toAgreedPriceMember(
  agreed: AgreedPrice | undefined,
  currency: string,
): { agreedPrice?: Static<typeof AgreedPriceBody> } {
  if (agreed === undefined) return {}
  return { agreedPrice: { listUnitPrice: toMoney(agreed.listUnitAmount, currency), reason: agreed.reason } }
}
