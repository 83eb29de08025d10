import { type Static, Type } from 'typebox'
import { customerIdOf } from '../../auth/index.ts'
import { PlaceholderValuesInput } from '../../designs/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { DOCUMENTED_AS } from '../../platform/http/operations/document/unions.ts'
import { ExternalReferenceInput } from '../../platform/records/external-reference.ts'
import { AgreedPriceBody, AgreedPriceInput, toAgreedPriceMember } from '../order/bodies/agreed-price.ts'
import { MetadataBody } from '../order/bodies/requests.ts'
import { AmountsBody, MoneyBody, toAmountsBody, toMoney } from '../order/money.ts'
import { PostalAddressInput } from '../order/postal-address.ts'
import { checkPostalAddress } from '../postal-address/check-postal-address.ts'
import type { Basket } from '../pricing/offer.ts'
import { ShippingMethodBody, toShippingMethodBodies } from '../shipping/schemas.ts'
import type { Quote } from './store.ts'

const closed = { additionalProperties: false } as const

const ItemInput = Type.Object(
  {
    designId: Type.String({ maxLength: 64 }),
    quantity: Type.Integer({ minimum: 1, maximum: 100_000 }),
    data: Type.Optional(PlaceholderValuesInput),
    agreedPrice: Type.Optional(AgreedPriceInput),
  },
  { ...closed, title: 'NewOrderItem' },
)

const basketMembers = {
  items: Type.Array(ItemInput, { minItems: 1, maxItems: 100 }),
  shippingAddress: PostalAddressInput,
  shippingMethod: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Id of a shipping method. Default: the first method by `position` that takes the parcel.',
    }),
  ),
}

export const NewQuoteBody = Type.Object(basketMembers, closed)

const quoteId = Type.String({
  maxLength: 64,
  description: 'Id of a quote, instead of `items`, `shippingAddress` and `shippingMethod`.',
})

const orderMembers = {
  metadata: Type.Optional(MetadataBody),
  externalReference: Type.Optional(ExternalReferenceInput),
}

const OrderFromQuote = Type.Object({ quoteId, ...orderMembers }, { ...closed, title: 'OrderFromQuote' })
const OrderFromBasket = Type.Object({ ...basketMembers, ...orderMembers }, { ...closed, title: 'OrderFromBasket' })

const description = 'Either `quoteId`, or `items` and `shippingAddress` as for a quote.'

/** `readSource` refuses a body with both a quote and a basket, because its errors name the member that is wrong. */
export const NewOrderBody = Type.Object(
  { quoteId: Type.Optional(quoteId), ...Type.Partial(Type.Object(basketMembers)).properties, ...orderMembers },
  { ...closed, description, [DOCUMENTED_AS]: Type.Union([OrderFromQuote, OrderFromBasket], { description }) },
)
export type NewOrderBody = Static<typeof NewOrderBody>

export const QuoteParams = Type.Object({ quoteId: Type.String() }, closed)

/**
 * Reads the basket of a quote from a request.
 *
 * @throws `address_invalid`
 */
export function readBasket({ items, shippingAddress, shippingMethod }: Static<typeof NewQuoteBody>): Basket {
  const address = checkPostalAddress(shippingAddress)
  return { items, shippingAddress: address, ...(shippingMethod === undefined ? {} : { shippingMethod }) }
}

/**
 * Reads from a request whether the order is created from a quote or from a basket.
 *
 * @throws `validation_failed` if the body has both a quote and a basket, or neither in full; `address_invalid`
 */
export function readSource(body: NewOrderBody): Basket | { quoteId: string } {
  const { quoteId, items, shippingAddress, shippingMethod } = body
  if (quoteId === undefined) {
    if (items !== undefined && shippingAddress !== undefined) {
      return readBasket({ items, shippingAddress, ...(shippingMethod === undefined ? {} : { shippingMethod }) })
    }
    throw refused(
      items === undefined ? ['items'] : ['shippingAddress'],
      'required',
      'Required if the body has no quoteId.',
    )
  }
  const extra = (['items', 'shippingAddress', 'shippingMethod'] as const).filter((name) => body[name] !== undefined)
  if (extra.length > 0)
    throw refused(extra, 'unknown_field', 'The quote contains this member. Send either a quote or a basket.')
  return { quoteId }
}

function refused(names: readonly string[], code: string, detail: string) {
  return httpProblems.validation_failed({
    detail: 'The body does not match its schema.',
    errors: names.map((name) => ({ code, pointer: `/${name}`, detail })),
  })
}

const QuoteItemBody = Type.Object(
  {
    designId: Type.String(),
    finalizationId: Type.String(),
    variantId: Type.String(),
    quantity: Type.Integer(),
    data: Type.Optional(Type.Record(Type.String(), Type.String())),
    unitPrice: MoneyBody,
    agreedPrice: Type.Optional(AgreedPriceBody),
    total: MoneyBody,
  },
  { ...closed, title: 'QuoteItem' },
)

export const QuoteBody = Type.Object(
  {
    id: Type.String(),
    customerId: Type.String({ description: 'Id of the customer who owns it.' }),
    items: Type.Array(QuoteItemBody),
    shippingMethods: Type.Array(ShippingMethodBody),
    shippingMethod: Type.String(),
    amounts: AmountsBody,
    taxIncluded: Type.Boolean(),
    expiresAt: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'Quote' },
)
export type QuoteBody = Static<typeof QuoteBody>

export function toQuoteBody(quote: Quote): QuoteBody {
  const { currency } = quote.amounts
  return {
    id: quote.id,
    customerId: customerIdOf(quote.ownerId),
    items: quote.items.map(({ data, unitAmount, totalAmount, agreedPrice, priceLock: _, ...item }) => ({
      ...item,
      ...(data === null ? {} : { data }),
      unitPrice: toMoney(unitAmount, currency),
      ...toAgreedPriceMember(agreedPrice, currency),
      total: toMoney(totalAmount, currency),
    })),
    shippingMethods: toShippingMethodBodies(quote.shippingMethods, currency),
    shippingMethod: quote.shippingMethod,
    amounts: toAmountsBody(quote.amounts),
    taxIncluded: quote.amounts.taxIncluded,
    expiresAt: quote.expiresAt.toISOString(),
  }
}
