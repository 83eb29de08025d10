import type { OrderableDesign } from '../../designs/index.ts'
import { noteSize } from '../../platform/concurrency/request-context.ts'
import type { Trx } from '../../platform/db/index.ts'
import { claimReference } from '../../platform/records/external-reference.ts'
import type { UnpaidBound } from '../../platform/storage/index.ts'
import { emitOrderEvent, type TimelineType } from '../events.ts'
import { newId } from '../ids.ts'
import { type PreparingContext, prepareItemFiles } from '../item-files/prepare-item-files.ts'
import { PRICE_AGREED } from '../order/bodies/agreed-price.ts'
import { type OrderBody, toOrderBody } from '../order/bodies/schemas.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import { requireOrder } from '../order/change/change-order.ts'
import { randomOrderNumber } from '../order/order-number.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import type { Order, OrderItem, TimelineEntry } from '../order/store.ts'
import type { Charges } from '../pricing/charges.ts'
import { type PricedItem, type PurchaseContext, requireDesigns } from '../pricing/items.ts'
import { type Basket, makeOffer, type Offer } from '../pricing/offer.ts'
import { orderProblems } from '../problems.ts'
import { insertOrder, lockQuote, type Quote, setQuoteOrder } from './store.ts'
import { takeSnapshot } from './take-snapshot.ts'

/** With 34 thousand million possible numbers, even a second attempt to find a free number is rare. */
const NUMBER_TRIES = 10

type OrderingContext = ActionContext &
  PreparingContext & {
    unpaid: UnpaidBound
    /** Whether the postal address must have an email address, because the customer has none. */
    needsEmail: boolean
  }

export type OrderSource = { quoteId: string } | { basket: Basket; charges: Charges }

/**
 * Creates an order, either from a quote at the prices of the quote, or from a basket at current prices.
 *
 * @returns the order as its customer sees it, which is also the data of the event
 * @throws `quote_not_found`, `quote_expired`, `quote_used`, `external_reference_taken`, `storage_quota_exceeded`; what
 *   `makeOffer` throws
 */
export async function createOrder(
  trx: Trx,
  context: OrderingContext & Pick<PurchaseContext, 'texts'>,
  ownerId: string,
  { from, ...labels }: { from: OrderSource } & Labels,
): Promise<OrderBody> {
  const { now, actor, texts, needsEmail } = context
  if (!('quoteId' in from)) {
    if (needsEmail) requireEmail(from.basket.shippingAddress, '/shippingAddress/email')
    const offer = await makeOffer(trx, from.basket, { ownerId, now, actor, texts, charges: from.charges })
    return insertNewOrder(trx, context, { ownerId, offer, ...labels })
  }
  const quote = await requireQuote(trx, from.quoteId, { ownerId, now })
  if (needsEmail) requireEmail(quote.shippingAddress, '/quoteId')
  // The quote fixes the prices, but a design may have been archived since.
  const designs = await requireDesigns(trx, quote.items, { ownerId, now })
  const order = await insertNewOrder(trx, context, { ownerId, offer: { ...quote, designs }, ...labels })
  await setQuoteOrder(trx, quote.id, order.id)
  return order
}

function requireEmail({ email }: PostalAddress, pointer: string): void {
  if (email !== undefined) return
  const detail = 'Guests need an email address in the postal address.'
  throw orderProblems.email_required({ errors: [{ code: 'email_required', pointer, detail }] })
}

async function requireQuote(trx: Trx, id: string, { ownerId, now }: { ownerId: string; now: Date }): Promise<Quote> {
  const errors = (code: string, detail: string) => [{ code, pointer: '/quoteId', detail }]
  const quote = await lockQuote(trx, { id, ownerId })
  if (quote === undefined) {
    throw orderProblems.quote_not_found({ errors: errors('quote_not_found', 'The caller has no quote with this id.') })
  }
  if (quote.orderId !== null) {
    throw orderProblems.quote_used({
      members: { orderId: quote.orderId },
      errors: errors('quote_used', `Order ${quote.orderId} was created from this quote.`),
    })
  }
  if (quote.expiresAt <= now) {
    throw orderProblems.quote_expired({
      errors: errors('quote_expired', `The quote was valid until ${quote.expiresAt.toISOString()}.`),
    })
  }
  return quote
}

/** What the client adds for its own use. */
type Labels = Pick<Order, 'metadata' | 'externalReference'>

interface NewOrder extends Labels {
  ownerId: string
  offer: Omit<Offer, 'validUntil' | 'shippingMethods'>
}

async function insertNewOrder(
  trx: Trx,
  context: OrderingContext,
  { ownerId, offer, metadata, externalReference }: NewOrder,
): Promise<OrderBody> {
  const { now, actor } = context
  const { shippingAddress, shippingMethod, amounts } = offer
  const order: Omit<Order, 'number'> = {
    id: newId('order'),
    ownerId,
    status: 'awaiting_payment',
    heldStatus: null,
    hold: null,
    items: offer.items.map((item) => toOrderItem(item, offer.designs.get(item.designId))),
    shippingAddress,
    shippingMethod,
    amounts,
    payment: {
      id: newId('payment'),
      status: 'pending',
      method: null,
      reference: null,
      amount: amounts.total,
      capturedAmount: 0,
      refundedAmount: 0,
      capturedAt: null,
      refunds: [],
    },
    shipments: [],
    timeline: [
      {
        type: 'order.created' satisfies TimelineType,
        at: now,
        by: actor.by,
        actorId: actor.userId,
        actorKeyId: actor.keyId ?? null,
        reason: null,
      },
      ...agreementsOf(offer.items, now),
    ],
    notes: [],
    metadata,
    revision: 1,
    externalReference,
    dueAt: null,
    createdAt: now,
    updatedAt: now,
  }
  await claimReference(trx, { table: 'orders', id: order.id, ownerId, reference: externalReference })
  for (let tries = 0; tries < NUMBER_TRIES; tries += 1) {
    const body = await placeOrder(trx, context, { ...order, number: randomOrderNumber() })
    if (body !== undefined) return body
  }
  throw new Error(`${NUMBER_TRIES} random order numbers were all in use`)
}

function toOrderItem({ agreedPrice, ...item }: PricedItem, design: OrderableDesign | undefined): OrderItem {
  const names = design && takeSnapshot(design)
  const snapshot =
    agreedPrice === undefined
      ? (names ?? null)
      : { ...names, agreedPrice: { listUnitAmount: agreedPrice.listUnitAmount, reason: agreedPrice.reason } }
  return { ...item, id: newId('orderItem'), snapshot, personalization: null }
}

/** Returns a timeline entry for each reason of agreed prices, by the operator who agreed on them. */
function agreementsOf(items: readonly PricedItem[], at: Date): TimelineEntry[] {
  const byReason = new Map(
    items.flatMap(({ agreedPrice }) => (agreedPrice === undefined ? [] : [[agreedPrice.reason, agreedPrice] as const])),
  )
  return Array.from(byReason, ([reason, { actorId, actorKeyId }]) => ({
    ...{ type: PRICE_AGREED, at, by: 'operator' as const },
    ...{ actorId, actorKeyId, reason },
  }))
}

/**
 * Inserts an order, plans the print files of items with texts of their own, and emits `order.created`.
 *
 * @returns undefined if another order has this number
 */
async function placeOrder(trx: Trx, context: OrderingContext, order: Order): Promise<OrderBody | undefined> {
  const items = order.items.filter(({ data }) => data !== null && Object.keys(data).length > 0)
  const bytes = orderBytes(order)
  // An order of a hundred items has a small body, but keeps its connection as long as one with a large body.
  noteSize(bytes)
  const prepare = () => prepareItemFiles(trx, context, { ...order, items, bytes })
  if (items.length > 0) {
    if (!(await insertOrder(trx, order))) return undefined
    await prepare()
    const created = createdEvent(context, await requireOrder(trx, { id: order.id }))
    await emitOrderEvent(trx, created)
    return created.data
  }
  const created = createdEvent(context, order)
  if (!(await insertOrder(trx, order, created))) return undefined
  // Last, because other orders of the account wait for the row of its usage until this transaction ends.
  await prepare()
  return created.data
}

function createdEvent({ onlinePayment, now: at }: OrderingContext, order: Order) {
  const { id: subject, ownerId } = order
  const data = toOrderBody(order, { operator: false, onlinePayment })
  return { type: 'order.created', subject, ownerId, data, at } as const
}

/**
 * Estimated bytes of the rows of one order without its JSON content, with their indexes: order, payment, timeline and
 * two events.
 */
const ORDER_BYTES = 8 * 1024

/** Estimates the bytes of an order: its rows, two events, and the response stored for an `Idempotency-Key`. */
function orderBytes(order: Order): number {
  return ORDER_BYTES + 4 * Buffer.byteLength(JSON.stringify(order))
}
