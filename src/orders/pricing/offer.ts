import type { Trx } from '../../platform/db/index.ts'
import type { Amounts } from '../order/money.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import { orderProblems } from '../problems.ts'
import { chooseOffer, offersFor, type PricedShippingMethod } from '../shipping/offers.ts'
import type { Charges } from './charges.ts'
import { type ItemRequest, type PricedItem, type PricedItems, type PurchaseContext, priceItems } from './items.ts'
import { calculateAmounts, MAX_TOTAL } from './totals.ts'

export interface Basket {
  items: ItemRequest[]
  shippingAddress: PostalAddress
  shippingMethod?: string
}

export interface Offer {
  items: PricedItem[]
  designs: PricedItems['designs']
  shippingAddress: PostalAddress
  shippingMethod: string
  /** All methods that can ship the items to the destination. */
  shippingMethods: PricedShippingMethod[]
  amounts: Amounts
  validUntil: Date
}

export type OfferContext = PurchaseContext & { charges: Charges }

/**
 * Prices a basket. Customers determine only designs, quantities, texts, destination and shipping method, never prices.
 * Operators who act for them may also state agreed prices, which the route has admitted.
 *
 * @throws `shipping_unavailable`, `shipping_method_unknown`, `total_too_large`, and the problems of `priceItems`
 */
export async function makeOffer(
  trx: Trx,
  { items: requests, shippingAddress, shippingMethod }: Basket,
  context: OfferContext,
): Promise<Offer> {
  const { items, designs, currency, weightGrams, validUntil } = await priceItems(trx, requests, context)
  const { shippingMethods: methods, calculateTax } = context.charges
  const parcel = { country: shippingAddress.country, weightGrams, currency }
  const method = chooseOffer(methods, parcel, shippingMethod)
  const lines = items.map((item) => item.totalAmount)
  const amounts = calculateAmounts(currency, lines, method.amount, calculateTax)
  if (amounts.total > MAX_TOTAL) {
    throw orderProblems.total_too_large(`The limit is ${MAX_TOTAL} minor units. Split the order.`)
  }
  const shippingMethods = offersFor(methods, parcel)
  return { items, designs, shippingAddress, shippingMethod: method.id, shippingMethods, amounts, validUntil }
}
