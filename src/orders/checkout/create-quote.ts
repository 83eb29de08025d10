import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { UnpaidBound } from '../../platform/storage/index.ts'
import { newId } from '../ids.ts'
import { type Basket, makeOffer, type OfferContext } from '../pricing/offer.ts'
import { QUOTE_SECONDS } from '../pricing/settings.ts'
import { insertQuote, type Quote } from './store.ts'

/**
 * Keeps an offer for half an hour, or until the first of its price locks ends, if that is earlier:
 * a quote never promises more than the prices it is made of.
 *
 * @throws what `makeOffer` throws, `storage_quota_exceeded`
 */
export async function createQuote(
  trx: Trx,
  basket: Basket,
  context: OfferContext & { unpaid: UnpaidBound },
): Promise<Quote> {
  const { ownerId, now } = context
  const { validUntil, ...offer } = await makeOffer(trx, basket, context)
  const expiresAt = new Date(Math.min(addSeconds(now, QUOTE_SECONDS).getTime(), validUntil.getTime()))
  const quote: Quote = { ...offer, id: newId('quote'), ownerId, orderId: null, createdAt: now, expiresAt }
  await insertQuote(trx, quote)
  await context.unpaid.charge(trx, { ownerId, subject: quote.id, bytes: quoteBytes(quote), now })
  return quote
}

/** Of a row without its content, with its indexes. */
const QUOTE_BYTES = 2 * 1024

/** About what a quote takes in the database: its row, and the answer that is kept for an `Idempotency-Key`. */
function quoteBytes(quote: Quote): number {
  return QUOTE_BYTES + 2 * Buffer.byteLength(JSON.stringify(quote))
}
