import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { type Basket, makeOffer, type OfferContext } from '../pricing/offer.ts'
import { QUOTE_SECONDS } from '../pricing/settings.ts'
import { insertQuote, type Quote } from './store.ts'

/**
 * Keeps an offer for half an hour, or until the first of its price locks ends, if that is earlier:
 * a quote never promises more than the prices it is made of.
 *
 * @throws what `makeOffer` throws
 */
export async function createQuote(trx: Trx, basket: Basket, context: OfferContext): Promise<Quote> {
  const { ownerId, now } = context
  const { validUntil, ...offer } = await makeOffer(trx, basket, context)
  const expiresAt = new Date(Math.min(addSeconds(now, QUOTE_SECONDS).getTime(), validUntil.getTime()))
  const quote: Quote = { ...offer, id: newId('quote'), ownerId, orderId: null, createdAt: now, expiresAt }
  await insertQuote(trx, quote)
  return quote
}
