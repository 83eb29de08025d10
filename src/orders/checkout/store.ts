import { type RawBuilder, type Selectable, sql } from 'kysely'
import { noteSize } from '../../platform/concurrency/request-context.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { type CutRows, readCutRows } from '../../platform/db/reading/size-cut.ts'
import type { DB } from '../../platform/db/schema.generated.ts'
import { type EmittedEvent, insertEvent } from '../../platform/outbox/index.ts'
import type { OrderEventType } from '../events.ts'
import { isId } from '../ids.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import type { Order } from '../order/store.ts'
import type { PricedItem } from '../pricing/items.ts'
import type { Offer } from '../pricing/offer.ts'
import type { PricedShippingMethod } from '../shipping/offers.ts'

export interface Quote extends Omit<Offer, 'validUntil' | 'designs'> {
  id: string
  ownerId: string
  orderId: string | null
  createdAt: Date
  expiresAt: Date
}

const COLUMNS = [
  'id',
  'owner_id',
  'items',
  'shipping_address',
  'shipping_method',
  'shipping_methods',
  'currency',
  'subtotal_amount',
  'shipping_amount',
  'tax_amount',
  'total_amount',
  'tax_included',
  'order_id',
  'created_at',
  'expires_at',
] as const

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
      shipping_methods: JSON.stringify(quote.shippingMethods),
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

export async function findQuote(db: Db, { id, ownerId }: { id: string; ownerId: string }): Promise<Quote | undefined> {
  if (!isId('quote', id)) return undefined
  const row = await db
    .selectFrom('quotes')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  noteSize(Buffer.byteLength(JSON.stringify(row.items)))
  return toQuote(row)
}

/** Reads a quote of a customer, and locks it until the transaction ends. */
export async function lockQuote(
  trx: Trx,
  { id, ownerId }: { id: string; ownerId: string },
): Promise<Quote | undefined> {
  if (!isId('quote', id)) return undefined
  const row = await trx
    .selectFrom('quotes')
    .select(COLUMNS)
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

export function listQuotes(
  db: Db,
  { ownerId, after = '~', limit }: { ownerId: string; after: string | undefined; limit: number },
): Promise<CutRows<Quote>> {
  const ids = sql`
    select id from quotes where owner_id = ${ownerId} and id < ${after} order by id desc limit ${limit + 1}::int`
  const bytesOf = (id: RawBuilder<string>) => sql`
    select 1000 + octet_length(items::text) + octet_length(shipping_methods::text) from quotes where id = ${id}`
  return readCutRows(db, { ids, bytesOf, limit }, async (page) => {
    const wanted = sql<string>`any(${page}::text[])`
    const rows = await db.selectFrom('quotes').select(COLUMNS).where('id', '=', wanted).orderBy('id', 'desc').execute()
    return rows.map(toQuote)
  })
}

/**
 * Deletes up to `limit` quotes of a customer.
 *
 * @returns the ids of the deleted quotes; fewer than `limit` if none is left
 */
export async function deleteSomeQuotesOf(trx: Trx, ownerId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from quotes where id in (
      select id from quotes where owner_id = ${ownerId} order by id limit ${limit}::int
    ) returning id`.execute(trx)
  return rows.map(({ id }) => id)
}

function toQuote(row: Pick<Selectable<DB['quotes']>, (typeof COLUMNS)[number]>): Quote {
  return {
    id: row.id,
    ownerId: row.owner_id,
    items: row.items as unknown as PricedItem[],
    shippingAddress: row.shipping_address as unknown as PostalAddress,
    shippingMethod: row.shipping_method,
    shippingMethods: row.shipping_methods as unknown as PricedShippingMethod[],
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

/**
 * Inserts a new order with its items, its payment and its first timeline entries. Uses one statement, because checkout is
 * the most frequent write.
 *
 * @param created the event to record with the order; undefined: the caller records it later
 * @returns false, without inserting anything, if another order has this number
 */
export async function insertOrder(trx: Trx, order: Order, created?: EmittedEvent<OrderEventType>): Promise<boolean> {
  const { amounts, payment } = order
  const timeline = order.timeline.map(({ type, by, actorId, actorKeyId, reason }, index) => ({
    ...{ position: index + 1, type, actor: by, reason },
    ...{ actor_id: actorId, actor_key_id: actorKeyId },
  }))
  const items = order.items.map((item, position) => ({
    id: item.id,
    position,
    design_id: item.designId,
    finalization_id: item.finalizationId,
    price_lock: item.priceLock,
    variant_id: item.variantId,
    quantity: item.quantity,
    data: item.data,
    unit_amount: item.unitAmount,
    total_amount: item.totalAmount,
    snapshot: item.snapshot,
  }))
  const { rows } = await sql`
    with made as (
      insert into orders (
        id, number, owner_id, status, shipping_address, shipping_method, currency, subtotal_amount, shipping_amount,
        tax_amount, total_amount, tax_included, metadata, external_reference, created_at, updated_at
      ) values (
        ${order.id}, ${order.number}, ${order.ownerId}, ${order.status}, ${JSON.stringify(order.shippingAddress)},
        ${order.shippingMethod}, ${amounts.currency}, ${amounts.subtotal}, ${amounts.shipping}, ${amounts.tax},
        ${amounts.total}, ${amounts.taxIncluded}, ${JSON.stringify(order.metadata)}, ${order.externalReference},
        ${order.createdAt}, ${order.updatedAt}
      ) on conflict (number) do nothing returning id
    ), made_items as (
      insert into order_items (
        id, order_id, position, design_id, finalization_id, price_lock, variant_id, quantity, data, unit_amount,
        total_amount, snapshot
      )
      select item.id, made.id, item.position, item.design_id, item.finalization_id, item.price_lock, item.variant_id,
        item.quantity, item.data, item.unit_amount, item.total_amount, item.snapshot
      from made, json_to_recordset(${JSON.stringify(items)}::json) as item (
        id text, position int, design_id text, finalization_id text, price_lock int, variant_id text, quantity int,
        data json, unit_amount bigint, total_amount bigint, snapshot json
      )
    ), made_payment as (
      insert into payments (id, order_id, status, amount)
      select ${payment.id}, made.id, ${payment.status}, ${payment.amount}::bigint from made
    ), made_timeline as (
      insert into order_timeline (order_id, position, type, actor, actor_id, actor_key_id, reason, at)
      select made.id, entry.position, entry.type, entry.actor, entry.actor_id, entry.actor_key_id, entry.reason,
        ${order.createdAt}::timestamptz
      from made, json_to_recordset(${JSON.stringify(timeline)}::json) as entry (
        position int, type text, actor text, actor_id text, actor_key_id text, reason text
      )
    )${created === undefined ? sql`` : sql`, emitted as (${insertEvent(created, sql`from made`)})`}
    select id from made`.execute(trx)
  return rows.length === 1
}
