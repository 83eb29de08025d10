import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { UnpaidBound } from '../../platform/storage/index.ts'
import { newId } from '../ids.ts'
import { type Basket, makeOffer, type OfferContext } from '../pricing/offer.ts'
import { insertQuote, type Quote } from './store.ts'

const QUOTE_SECONDS = 30 * 60

/**
 * Stores an offer as a quote. The quote expires after 30 minutes, or earlier when its first price lock ends, because a
 * quote must not outlive its prices.
 *
 * @throws `storage_quota_exceeded`, and the problems of `makeOffer`
 */
export async function createQuote(
  trx: Trx,
  basket: Basket,
  context: OfferContext & { unpaid: UnpaidBound },
): Promise<Quote> {
  const { ownerId, now } = context
  const { validUntil, designs: _, ...offer } = await makeOffer(trx, basket, context)
  const expiresAt = new Date(Math.min(addSeconds(now, QUOTE_SECONDS).getTime(), validUntil.getTime()))
  const quote: Quote = { ...offer, id: newId('quote'), ownerId, orderId: null, createdAt: now, expiresAt }
  await insertQuote(trx, quote)
  await context.unpaid.charge(trx, { ownerId, subject: quote.id, bytes: quoteBytes(quote), now })
  return quote
}

/** Estimated bytes of the row of one quote without its JSON content, with its indexes. */
const QUOTE_BYTES = 2 * 1024

/** Estimates the bytes of a quote in the database: its row, and the response stored for an `Idempotency-Key`. */
function quoteBytes(quote: Quote): number {
  return QUOTE_BYTES + 2 * Buffer.byteLength(JSON.stringify(quote))
}
