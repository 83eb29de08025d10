import type { Trx } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { ActionContext, OrderDeps } from '../context.ts'
import { prepareItemFiles } from '../item-files/prepare-item-files.ts'
import { recordChange } from '../order/change-order.ts'
import type { Order } from '../order/store.ts'
import { type BuyingContext, requireDesigns } from '../pricing/items.ts'
import { type Basket, makeOffer, type Offer } from '../pricing/offer.ts'
import { orderProblems } from '../problems.ts'
import { randomOrderNumber } from './order-number.ts'
import { insertOrder, lockQuote, type Quote, setQuoteOrder } from './store.ts'

/** Among 34 thousand million numbers even a second try is rare. */
const NUMBER_TRIES = 10

type OrderingContext = ActionContext & Pick<OrderDeps, 'storage'>

/**
 * Makes an order from a quote, at the quote's prices, or from a basket at today's.
 *
 * @throws `quote_not_found`, `quote_expired`, `quote_used`; what `makeOffer` throws
 */
export async function createOrder(
  trx: Trx,
  context: OrderingContext & Pick<BuyingContext, 'texts'>,
  ownerId: string,
  { from, metadata }: { from: Basket | { quoteId: string }; metadata: Order['metadata'] },
): Promise<Order> {
  const { now, texts } = context
  if (!('quoteId' in from)) {
    return insertFrom(trx, context, { ownerId, offer: await makeOffer(trx, from, { ownerId, now, texts }), metadata })
  }
  const quote = await requireQuote(trx, from.quoteId, { ownerId, now })
  // The quote holds the prices, but a design may have been archived since.
  await requireDesigns(trx, quote.items, { ownerId, now })
  const order = await insertFrom(trx, context, { ownerId, offer: quote, metadata })
  await setQuoteOrder(trx, quote.id, order.id)
  return order
}

async function requireQuote(trx: Trx, id: string, { ownerId, now }: { ownerId: string; now: Date }): Promise<Quote> {
  const errors = (code: string, detail: string) => [{ code, pointer: '/quoteId', detail }]
  const quote = await lockQuote(trx, { id, ownerId })
  if (quote === undefined) {
    throw orderProblems.quote_not_found({ errors: errors('quote_not_found', 'You have no quote with this id.') })
  }
  if (quote.orderId !== null) {
    throw orderProblems.quote_used({
      members: { orderId: quote.orderId },
      errors: errors('quote_used', `Order ${quote.orderId} was made from it.`),
    })
  }
  if (quote.expiresAt <= now) {
    throw orderProblems.quote_expired({
      errors: errors('quote_expired', `It was good until ${quote.expiresAt.toISOString()}.`),
    })
  }
  return quote
}

interface NewOrder {
  ownerId: string
  offer: Omit<Offer, 'validUntil'>
  metadata: Order['metadata']
}

async function insertFrom(trx: Trx, context: OrderingContext, { ownerId, offer, metadata }: NewOrder): Promise<Order> {
  const id = newId('order')
  const { shippingAddress, shippingMethod, amounts } = offer
  const order = {
    id,
    ownerId,
    status: 'awaiting_payment' as const,
    items: offer.items.map((item) => ({ ...item, id: newId('orderItem') })),
    shippingAddress,
    shippingMethod,
    amounts,
    payment: {
      id: newId('payment'),
      status: 'pending' as const,
      method: null,
      reference: null,
      amount: amounts.total,
      capturedAmount: 0,
      refundedAmount: 0,
      capturedAt: null,
      refunds: [],
    },
    metadata,
    createdAt: context.now,
    updatedAt: context.now,
  }
  for (let tries = 0; tries < NUMBER_TRIES; tries += 1) {
    if (await insertOrder(trx, { ...order, number: randomOrderNumber() })) {
      await prepareItemFiles(trx, context, order)
      return recordChange(trx, context, id, [{ type: 'order.created' }])
    }
  }
  throw new Error(`${NUMBER_TRIES} random order numbers were all taken`)
}
