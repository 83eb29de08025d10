import type { Selectable } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { DB } from '../../platform/db/schema.generated.ts'
import { isId } from '../../platform/ids.ts'
import type { Address } from '../order/address.ts'
import type { Order } from '../order/store.ts'
import type { PricedItem } from '../pricing/items.ts'
import type { Offer } from '../pricing/offer.ts'

/** An offer that is kept for a while. */
export interface Quote extends Omit<Offer, 'validUntil'> {
  id: string
  ownerId: string
  /** The order made from it. */
  orderId: string | null
  createdAt: Date
  expiresAt: Date
}

export async function insertQuote(trx: Trx, quote: Quote): Promise<void> {
  const { amounts } = quote
  await trx
    .insertInto('quotes')
    .values({
      id: quote.id,
      owner_id: quote.ownerId,
      items: JSON.stringify(quote.items),
      shipping_address: JSON.stringify(quote.shippingAddress),
      shipping_method: quote.shippingMethod,
      currency: amounts.currency,
      subtotal_amount: amounts.subtotal,
      shipping_amount: amounts.shipping,
      tax_amount: amounts.tax,
      total_amount: amounts.total,
      tax_included: amounts.taxIncluded,
      created_at: quote.createdAt,
      expires_at: quote.expiresAt,
    })
    .execute()
}

/** Reads a person's quote and keeps others from using it until the transaction ends. */
export async function lockQuote(
  trx: Trx,
  { id, ownerId }: { id: string; ownerId: string },
): Promise<Quote | undefined> {
  if (!isId('quote', id)) return undefined
  const row = await trx
    .selectFrom('quotes')
    .selectAll()
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .forUpdate()
    .executeTakeFirst()
  return row && toQuote(row)
}

export async function setQuoteOrder(trx: Trx, id: string, orderId: string): Promise<void> {
  await trx.updateTable('quotes').set({ order_id: orderId }).where('id', '=', id).execute()
}

export async function deleteQuotes(db: Db, expiredBefore: Date): Promise<void> {
  await db.deleteFrom('quotes').where('expires_at', '<', expiredBefore).execute()
}

/** A person's quotes, newest first. */
export async function listQuotes(
  db: Db,
  { ownerId, after, limit }: { ownerId: string; after: string | undefined; limit: number },
): Promise<Quote[]> {
  let query = db.selectFrom('quotes').selectAll().where('owner_id', '=', ownerId)
  if (after !== undefined) query = query.where('id', '<', after)
  return (await query.orderBy('id', 'desc').limit(limit).execute()).map(toQuote)
}

export async function deleteQuotesOf(trx: Trx, ownerId: string): Promise<void> {
  await trx.deleteFrom('quotes').where('owner_id', '=', ownerId).execute()
}

function toQuote(row: Selectable<DB['quotes']>): Quote {
  return {
    id: row.id,
    ownerId: row.owner_id,
    items: row.items as unknown as PricedItem[],
    shippingAddress: row.shipping_address as unknown as Address,
    shippingMethod: row.shipping_method,
    amounts: {
      currency: row.currency,
      subtotal: row.subtotal_amount,
      shipping: row.shipping_amount,
      tax: row.tax_amount,
      total: row.total_amount,
      taxIncluded: row.tax_included,
    },
    orderId: row.order_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

type NewItem = PricedItem & { id: string }

/** Inserts a new order with its items and its payment. Tells whether the number was free; if not, nothing is inserted. */
export async function insertOrder(
  trx: Trx,
  order: Omit<Order, 'timeline' | 'shipments' | 'heldStatus' | 'items'> & { items: NewItem[] },
): Promise<boolean> {
  const { amounts } = order
  const inserted = await trx
    .insertInto('orders')
    .values({
      id: order.id,
      number: order.number,
      owner_id: order.ownerId,
      status: order.status,
      shipping_address: JSON.stringify(order.shippingAddress),
      shipping_method: order.shippingMethod,
      currency: amounts.currency,
      subtotal_amount: amounts.subtotal,
      shipping_amount: amounts.shipping,
      tax_amount: amounts.tax,
      total_amount: amounts.total,
      tax_included: amounts.taxIncluded,
      metadata: JSON.stringify(order.metadata),
      created_at: order.createdAt,
      updated_at: order.updatedAt,
    })
    .onConflict((conflict) => conflict.column('number').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined) return false
  await insertItems(trx, order.id, order.items)
  await trx
    .insertInto('payments')
    .values({ id: order.payment.id, order_id: order.id, status: order.payment.status, amount: order.payment.amount })
    .execute()
  return true
}

async function insertItems(trx: Trx, orderId: string, items: NewItem[]): Promise<void> {
  const rows = items.map((item, position) => ({
    id: item.id,
    order_id: orderId,
    position,
    design_id: item.designId,
    finalization_id: item.finalizationId,
    price_lock: item.priceLock,
    variant_id: item.variantId,
    quantity: item.quantity,
    data: item.data === null ? null : JSON.stringify(item.data),
    unit_amount: item.unitAmount,
    total_amount: item.totalAmount,
  }))
  await trx.insertInto('order_items').values(rows).execute()
}
