import type { Trx } from '../../platform/db/index.ts'
import type { Amounts } from '../order/money.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import { orderProblems } from '../problems.ts'
import { chooseOffer, offersFor, type PricedShippingMethod } from '../shipping/offers.ts'
import type { Charges } from './charges.ts'
import { type ItemRequest, type PricedItem, type PurchaseContext, priceItems } from './items.ts'
import { calculateAmounts, MAX_TOTAL } from './totals.ts'

/** What a customer wants to have. */
export interface Basket {
  items: ItemRequest[]
  /** As `checkPostalAddress` gives it. */
  shippingAddress: PostalAddress
  /** Id of a shipping method; without, the first that is available. */
  shippingMethod?: string
}

/** A basket with everything that it costs. */
export interface Offer {
  items: PricedItem[]
  shippingAddress: PostalAddress
  shippingMethod: string
  /** All methods by which the items can be sent there. */
  shippingMethods: PricedShippingMethod[]
  amounts: Amounts
  /** When the first of the price locks it is made of ends. */
  validUntil: Date
}

export type OfferContext = PurchaseContext & { charges: Charges }

/**
 * Works out what a basket costs now. Nothing of it comes from the client but designs, quantities and the destination.
 *
 * @throws what `priceItems` throws, `shipping_unavailable`, `shipping_method_unknown`, `total_too_large`
 */
export async function makeOffer(
  trx: Trx,
  { items: requests, shippingAddress, shippingMethod }: Basket,
  context: OfferContext,
): Promise<Offer> {
  const { items, currency, weightGrams, validUntil } = await priceItems(trx, requests, context)
  const { shippingMethods: methods, calculateTax } = context.charges
  const parcel = { country: shippingAddress.country, weightGrams, currency }
  const method = chooseOffer(methods, parcel, shippingMethod)
  const lines = items.map((item) => item.totalAmount)
  const amounts = calculateAmounts(currency, lines, method.amount, calculateTax)
  if (amounts.total > MAX_TOTAL) {
    throw orderProblems.total_too_large(`The limit is ${MAX_TOTAL} minor units. Split the order.`)
  }
  const shippingMethods = offersFor(methods, parcel)
  return { items, shippingAddress, shippingMethod: method.id, shippingMethods, amounts, validUntil }
}
