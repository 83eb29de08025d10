import type { Trx } from '../../platform/db/index.ts'
import type { Address } from '../order/address.ts'
import type { Amounts } from '../order/money.ts'
import { orderProblems } from '../problems.ts'
import { type BuyingContext, type ItemRequest, type PricedItem, priceItems } from './items.ts'
import { addUp, MAX_TOTAL, type PricedShippingMethod, shippingMethodsIn, taxRule } from './totals.ts'

/** What a customer wants to have. */
export interface Basket {
  items: ItemRequest[]
  shippingAddress: Address
  /** Id of a shipping method; without, the first that is available. */
  shippingMethod?: string
}

/** A basket with everything that it costs. */
export interface Offer {
  items: PricedItem[]
  shippingAddress: Address
  shippingMethod: string
  amounts: Amounts
  /** When the first of the price locks it is made of ends. */
  validUntil: Date
}

/**
 * Works out what a basket costs now. Nothing of it comes from the client but designs, quantities and the destination.
 *
 * @throws what `priceItems` throws, `shipping_unavailable`, `shipping_method_unknown`, `total_too_large`
 */
export async function makeOffer(
  trx: Trx,
  { items: requests, shippingAddress, shippingMethod }: Basket,
  context: BuyingContext,
): Promise<Offer> {
  const { items, currency, validUntil } = await priceItems(trx, requests, context)
  const method = chooseMethod(shippingMethodsIn(currency), shippingMethod)
  const lines = items.map((item) => item.totalAmount)
  const amounts = addUp(currency, lines, method.amount, taxRule(shippingAddress.country))
  if (amounts.total > MAX_TOTAL) {
    throw orderProblems.total_too_large(`Totals end at ${MAX_TOTAL} minor units. Split the order.`)
  }
  return { items, shippingAddress, shippingMethod: method.id, amounts, validUntil }
}

function chooseMethod(available: PricedShippingMethod[], id: string | undefined): PricedShippingMethod {
  const [first] = available
  if (first === undefined) throw orderProblems.shipping_unavailable()
  const chosen = id === undefined ? first : available.find((method) => method.id === id)
  if (chosen !== undefined) return chosen
  const detail = `Expected one of: ${available.map((method) => method.id).join(', ')}.`
  throw orderProblems.shipping_method_unknown({
    errors: [{ code: 'shipping_method_unknown', pointer: '/shippingMethod', detail }],
  })
}
