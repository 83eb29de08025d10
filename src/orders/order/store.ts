import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import { noteSize } from '../../platform/concurrency/request-context.ts'
import type { DatabasePool, Db, Trx } from '../../platform/db/index.ts'
import { packRows } from '../../platform/db/reading/packed-rows.ts'
import { type CutRows, readCutRows } from '../../platform/db/reading/size-cut.ts'
import type { ListView } from '../../platform/records/list-view.ts'
import type { TimelineType } from '../events.ts'
import { isId } from '../ids.ts'
import { DISPUTE_TYPES } from './disputes.ts'
import type { ActingUser, Actor, ItemSnapshot, Order, OrderHold, OrderItem } from './order.ts'
import type { PostalAddress } from './postal-address.ts'
import { type OrderListing, orderOf, selectPage } from './select-page.ts'
import {
  DEFAULT_HOLD_RESOLUTION,
  type HeldStatus,
  type HoldResolution,
  type OrderStatus,
  type PaymentStatus,
  type RefundStatus,
  type ShipmentStatus,
} from './state.ts'

export type * from './order.ts'
export type { OrderListing, OrderSort } from './select-page.ts'

/** Identifies an order. With `ownerId`, an order of another customer is not found. Operators omit `ownerId`. */
export interface OrderKey {
  id: string
  ownerId?: string
  /** Throws if the client expects another version of the order. Called while the order is locked. */
  requireVersion?: (trx: Trx, order: Order) => Promise<void>
}

/** The queries for orders without their condition. Cached, because compiling one takes as long as running it. */
const orderTexts = new Map<ListView, string>()

function selectOrdersWhere(db: Db | Trx, condition: string, view: ListView = 'full'): string {
  const text = orderTexts.get(view) ?? selectOrders(db, view).compile().sql
  orderTexts.set(view, text)
  return `${text} where ${condition}`
}

/** Parameters: the id of the order, and the id of its owner or null. */
const BY_ID = 'orders.id = $1 and orders.owner_id = coalesce($2::text, orders.owner_id)'

/**
 * Reads an order with its items, payment, refunds, shipments and timeline in one query. With `ownerId`, orders of other
 * customers are not found.
 */
export async function findOrder(db: Db | Trx, { id, ownerId }: OrderKey): Promise<Order | undefined> {
  if (!isId('order', id)) return undefined
  const { rows } = await db.executeQuery<OrderRow>(
    CompiledQuery.raw(selectOrdersWhere(db, BY_ID), [id, ownerId ?? null]),
  )
  return rows[0] && toOrder(rows[0])
}

/** Creates a variant of `findOrder` with a prepared statement, for `GET /orders/{orderId}`, which clients poll. */
export function createOrderReader({
  db,
  reads,
}: Pick<DatabasePool, 'db' | 'reads'>): (key: OrderKey) => Promise<Order | undefined> {
  const text = PACKED.pack(selectOrdersWhere(db, BY_ID))
  return async ({ id, ownerId = null }) => {
    if (!isId('order', id)) return undefined
    const { rows } = await reads.query<{ packed: string }>({ name: 'order', text, values: [id, ownerId] })
    if (rows[0] === undefined) return undefined
    noteSize(Buffer.byteLength(rows[0].packed))
    return toOrder(PACKED.unpack(rows[0].packed))
  }
}

/**
 * Locks an order with its items, payment, refunds, shipments and timeline until the transaction ends, and then reads
 * it. A query that itself waits for a lock would return the child rows as they were before the wait.
 */
export async function lockOrder(trx: Trx, key: OrderKey): Promise<Order | undefined> {
  return (await lockOrderRow(trx, key)) ? findOrder(trx, { id: key.id }) : undefined
}

/** Locks an order as `lockOrder` does, without reading it. Returns whether there is such an order. */
export async function lockOrderRow(trx: Trx, { id, ownerId }: OrderKey): Promise<boolean> {
  if (!isId('order', id)) return false
  await waitForOrder(trx, id)
  let query = trx.selectFrom('orders').select('id').where('id', '=', id).forUpdate()
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId)
  return (await query.executeTakeFirst()) !== undefined
}

/**
 * Queues transactions in front of the row lock. Otherwise, waiters for a row may get it in another order than their
 * transaction ids, and events are published in the order of these ids.
 */
async function waitForOrder(trx: Trx, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`order ${id}`}, 0))`.execute(trx)
}

export async function listUnpaid(
  db: Db,
  ownerId: string,
  { after = '', limit }: { after?: string | undefined; limit: number },
): Promise<string[]> {
  const unpaid = db.selectFrom('orders').select('id').where('owner_id', '=', ownerId).where('id', '>', after)
  const rows = await unpaid.where('status', '=', 'awaiting_payment').orderBy('id').limit(limit).execute()
  return rows.map(({ id }) => id)
}

/**
 * Reads one page of orders in one query, and one order more than `limit` if there are more. The query first finds the
 * ids in an index that has the order of the list, so a page costs the same in a million orders as in a thousand.
 */
export async function listOrders(db: Db, listing: OrderListing): Promise<Order[]> {
  const page = selectPage(db, listing).compile()
  // Passes the ids as an array, which the planner expects to be small. For a join it would estimate from the limit,
  // which a prepared statement does not know, and might read all payments.
  const text = selectOrdersWhere(db, `orders.id = any (array(${page.sql})) order by ${orderOf(listing)}`)
  const { rows } = await db.executeQuery<OrderRow>(CompiledQuery.raw(text, [...page.parameters]))
  return rows.map(toOrder)
}

/**
 * Reads one page of orders, limited by number and by size.
 *
 * @param withFiles whether the page shows print files and receipts of items, and notes, which then count towards its
 *   size
 * @param view `summary`: of the timeline, the orders contain only the last hold and disputes, and no notes
 */
export function listOrdersPage(
  db: Db,
  listing: OrderListing,
  { withFiles, view = 'full' }: { withFiles: boolean; view?: ListView | undefined },
): Promise<CutRows<Order>> {
  const ids = sql`${selectPage(db, listing)}`
  const bytesOf = (id: RawBuilder<string>) => bytesOfOrder(id, { withFiles, view })
  const cut = { ids, bytesOf, limit: listing.limit, isPlannedEachTime: dependsOnValues(listing) }
  return readCutRows(db, cut, async (page) => {
    const text = selectOrdersWhere(db, `orders.id = any ($1::text[]) order by ${orderOf(listing)}`, view)
    const { rows } = await db.executeQuery<OrderRow>(CompiledQuery.raw(text, [page]))
    return rows.map(toOrder)
  })
}

/**
 * Tells whether the best plan of a page depends on the values of its filters. A plan for any statuses does not know how
 * many orders have them, and may sort all orders. Planning takes about a millisecond, which the plain lists of a
 * customer do not spend.
 */
function dependsOnValues({ ownerId, metadata, sort }: OrderListing): boolean {
  return ownerId === undefined || metadata !== undefined || sort === 'due'
}

function bytesOfOrder(
  id: RawBuilder<string>,
  { withFiles, view }: { withFiles: boolean; view: ListView },
): RawBuilder<unknown> {
  const timeline = sql`coalesce((
    select sum(150 + coalesce(octet_length(e.reason), 0)) from order_timeline e where e.order_id = o.id
  ), 0)`
  const notes = sql`coalesce((
    select sum(300 + octet_length(n.text)) from order_notes n where n.order_id = o.id
  ), 0)`
  const files = sql`(
    select octet_length(p.receipt) + octet_length(f.files::text)
    from price_locks p join finalizations f on f.id = p.finalization_id
    where p.finalization_id = i.finalization_id and p.number = i.price_lock)`
  return sql`
    select 4000 + octet_length(o.metadata::text) + octet_length(o.shipping_address::text)
      + coalesce((
        select sum(500 + coalesce(octet_length(i.data::text), 0)
          + coalesce(octet_length(i.snapshot::text), 200) + coalesce(
          (select ${withFiles ? 2 : 1}::int * octet_length(own.files::text) from item_files own where own.item_id = i.id), 0
        ) + coalesce(${withFiles ? files : sql`0`}, 0))
        from order_items i where i.order_id = o.id
      ), 0)
      + ${view === 'full' ? timeline : sql`0`}
      + ${view === 'full' && withFiles ? notes : sql`0`}
      + coalesce((
        select sum(200 + coalesce(octet_length(r.reason), 0))
        from refunds r join payments p on p.id = r.payment_id where p.order_id = o.id
      ), 0)
      + coalesce((
        select sum(600 + coalesce(octet_length(s.tracking_url), 0)) from shipments s where s.order_id = o.id
      ), 0)
      + 80 * (
        select count(*) from shipments s join shipment_items part on part.shipment_id = s.id where s.order_id = o.id
      )
    from orders o where o.id = ${id}`
}

function selectOrders(db: Db | Trx, view: ListView) {
  return db
    .selectFrom('orders')
    .innerJoin('payments', 'payments.order_id', 'orders.id')
    .select([
      'orders.created_at',
      'orders.currency',
      sql<Date | null>`nullif(orders.due_at, 'infinity')`.as('due_at'),
      'orders.external_reference',
      'orders.held_status',
      'orders.hold_answered_at',
      'orders.hold_resolution',
      'orders.id',
      'orders.metadata',
      'orders.number',
      'orders.owner_id',
      'orders.revision',
      'orders.shipping_address',
      'orders.shipping_amount',
      'orders.shipping_method',
      'orders.status',
      'orders.subtotal_amount',
      'orders.tax_amount',
      'orders.tax_included',
      'orders.total_amount',
      'orders.updated_at',
      'payments.id as payment_id',
      'payments.status as payment_status',
      'payments.method as payment_method',
      'payments.reference as payment_reference',
      'payments.amount as payment_amount',
      'payments.captured_amount',
      'payments.refunded_amount',
      'payments.captured_at',
    ])
    .select((order) => [
      jsonArrayFrom(
        order
          .selectFrom('order_items as item')
          .whereRef('item.order_id', '=', 'orders.id')
          .orderBy('item.position')
          .select([
            'item.id',
            'item.design_id as designId',
            'item.finalization_id as finalizationId',
            'item.price_lock as priceLock',
            'item.variant_id as variantId',
            'item.quantity',
            'item.data',
            'item.unit_amount as unitAmount',
            'item.total_amount as totalAmount',
            itemSnapshot.as('snapshot'),
          ])
          .select((item) =>
            jsonObjectFrom(
              item
                .selectFrom('item_files as own')
                .whereRef('own.item_id', '=', 'item.id')
                .select(['own.status', 'own.content_hash as contentHash', 'own.files', 'own.failure']),
            ).as('personalization'),
          ),
      ).as('items'),
      jsonArrayFrom(
        order
          .selectFrom('refunds as refund')
          .whereRef('refund.payment_id', '=', 'payments.id')
          .orderBy('refund.id')
          .select(['refund.id', 'refund.status', 'refund.amount', 'refund.reason', 'refund.created_at as createdAt']),
      ).as('refunds'),
      jsonArrayFrom(
        order
          .selectFrom('shipments as shipment')
          .whereRef('shipment.order_id', '=', 'orders.id')
          .orderBy('shipment.id')
          .select((shipment) => [
            'shipment.id',
            'shipment.status',
            'shipment.carrier',
            'shipment.tracking_number as trackingNumber',
            'shipment.tracking_url as trackingUrl',
            'shipment.created_at as createdAt',
            'shipment.shipped_at as shippedAt',
            'shipment.delivered_at as deliveredAt',
            'shipment.returned_at as returnedAt',
            jsonArrayFrom(
              shipment
                .selectFrom('shipment_items as part')
                .whereRef('part.shipment_id', '=', 'shipment.id')
                .orderBy('part.item_id')
                .select(['part.item_id as itemId', 'part.quantity']),
            ).as('items'),
          ]),
      ).as('shipments'),
      jsonArrayFrom(
        order
          .selectFrom('order_timeline as entry')
          .whereRef('entry.order_id', '=', 'orders.id')
          .$if(view === 'summary', (entries) => entries.where(isShownInSummary(db)))
          .orderBy('entry.position')
          .select([
            'entry.type',
            'entry.at',
            'entry.actor as by',
            'entry.actor_id as actorId',
            'entry.actor_key_id as actorKeyId',
            'entry.reason',
          ]),
      ).as('timeline'),
      jsonArrayFrom(
        order
          .selectFrom('order_notes as note')
          .whereRef('note.order_id', '=', 'orders.id')
          .$if(view === 'summary', (notes) => notes.where(sql.lit(false)))
          .orderBy('note.id')
          .select([
            'note.id',
            'note.text',
            'note.author_id as actorId',
            'note.author_key_id as actorKeyId',
            'note.created_at as createdAt',
          ]),
      ).as('notes'),
    ])
}

/** For an item without a snapshot, its finalization states product and preview. */
const itemSnapshot = sql<ItemSnapshot | null>`coalesce(item.snapshot, (
  select json_build_object('productId', f.product_id, 'previewFileId', (
    select file ->> 'id' from json_array_elements(f.files) as file where file ->> 'kind' = 'preview' limit 1
  ))
  from finalizations f where f.id = item.finalization_id
))`

/** Matches the entries of the timeline that `toHold` and `disputedSince` need. */
const isShownInSummary = (db: Db | Trx) =>
  sql<boolean>`(entry.position = (${lastHold(db)}) or entry.type in (${sql.join(DISPUTE_TYPES.map(sql.lit))}))`

/** Selects the position of the last hold of an order. */
function lastHold(db: Db | Trx) {
  return db
    .selectFrom('order_timeline as held')
    .whereRef('held.order_id', '=', sql.ref('orders.id'))
    .where('held.type', '=', sql.lit('order.on_hold'))
    .select(({ fn }) => fn.max('held.position').as('position'))
}

type OrderRow = Awaited<ReturnType<ReturnType<typeof selectOrders>['executeTakeFirstOrThrow']>>

const PACKED = packRows<OrderRow>({
  currency: 'value',
  external_reference: 'value',
  held_status: 'value',
  hold_resolution: 'value',
  id: 'value',
  metadata: 'value',
  number: 'value',
  owner_id: 'value',
  revision: 'value',
  shipping_address: 'value',
  shipping_amount: 'value',
  shipping_method: 'value',
  status: 'value',
  subtotal_amount: 'value',
  tax_amount: 'value',
  tax_included: 'value',
  total_amount: 'value',
  payment_id: 'value',
  payment_status: 'value',
  payment_method: 'value',
  payment_reference: 'value',
  payment_amount: 'value',
  captured_amount: 'value',
  refunded_amount: 'value',
  items: 'value',
  refunds: 'value',
  shipments: 'value',
  timeline: 'value',
  notes: 'value',
  created_at: 'date',
  due_at: 'date',
  hold_answered_at: 'date',
  updated_at: 'date',
  captured_at: 'date',
})

function toOrder(row: OrderRow): Order {
  return {
    id: row.id,
    number: row.number,
    ownerId: row.owner_id,
    status: row.status as OrderStatus,
    heldStatus: row.held_status as HeldStatus | null,
    hold: toHold(row),
    items: row.items as unknown as OrderItem[],
    shippingAddress: row.shipping_address as unknown as PostalAddress,
    shippingMethod: row.shipping_method,
    amounts: {
      currency: row.currency,
      subtotal: row.subtotal_amount,
      shipping: row.shipping_amount,
      tax: row.tax_amount,
      total: row.total_amount,
      taxIncluded: row.tax_included,
    },
    payment: {
      id: row.payment_id,
      status: row.payment_status as PaymentStatus,
      method: row.payment_method,
      reference: row.payment_reference,
      amount: row.payment_amount,
      capturedAmount: row.captured_amount,
      refundedAmount: row.refunded_amount,
      capturedAt: row.captured_at,
      refunds: row.refunds.map((refund) => ({
        ...refund,
        status: refund.status as RefundStatus,
        createdAt: new Date(refund.createdAt),
      })),
    },
    shipments: row.shipments.map((shipment) => ({
      id: shipment.id,
      status: shipment.status as ShipmentStatus,
      carrier: shipment.carrier,
      trackingNumber: shipment.trackingNumber,
      trackingUrl: shipment.trackingUrl,
      items: shipment.items,
      createdAt: new Date(shipment.createdAt),
      shippedAt: new Date(shipment.shippedAt ?? shipment.createdAt),
      deliveredAt: toDate(shipment.deliveredAt),
      returnedAt: toDate(shipment.returnedAt),
    })),
    timeline: row.timeline.map((entry) => ({ ...entry, at: new Date(entry.at), by: entry.by as Actor })),
    notes: row.notes.map((note) => ({ ...note, createdAt: new Date(note.createdAt) })),
    metadata: row.metadata as Order['metadata'],
    externalReference: row.external_reference,
    revision: row.revision,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** Takes reason and time of a hold from the last `order.on_hold` in the timeline. */
function toHold({ status, timeline, hold_resolution, hold_answered_at }: OrderRow): OrderHold | null {
  if (status !== 'on_hold') return null
  const held = timeline.findLast(({ type }) => type === 'order.on_hold')
  if (held === undefined) return null
  const resolution = (hold_resolution as HoldResolution | null) ?? DEFAULT_HOLD_RESOLUTION
  return { reason: held.reason ?? '', since: new Date(held.at), resolution, answeredAt: hold_answered_at }
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}

export async function setOrderStatus(
  trx: Trx,
  id: string,
  status: OrderStatus,
  held: { heldStatus: HeldStatus; resolution: HoldResolution } | null,
): Promise<void> {
  const set = {
    status,
    held_status: held?.heldStatus ?? null,
    hold_resolution: held?.resolution ?? null,
    hold_answered_at: null,
  }
  await trx.updateTable('orders').set(set).where('id', '=', id).execute()
}

/** Appends entries to the timeline of a locked order, and sets the time of its last change. */
export async function appendTimeline(
  trx: Trx,
  orderId: string,
  { at, actor }: { at: Date; actor: ActingUser },
  entries: readonly { type: TimelineType; reason?: string | undefined }[],
): Promise<void> {
  const types = entries.map(({ type }) => type)
  const reasons = entries.map(({ reason }) => reason ?? null)
  await sql`
    with touched as (update orders set updated_at = ${at}::timestamptz where id = ${orderId})
    insert into order_timeline (order_id, position, type, actor, actor_id, actor_key_id, reason, at)
    select ${orderId}, before.position + entry.position, entry.type, ${actor.by}, ${actor.userId},
      ${actor.keyId ?? null}::text, entry.reason, ${at}::timestamptz
    from unnest(${types}::text[], ${reasons}::text[]) with ordinality as entry (type, reason, position),
      (select coalesce(max(position), 0) as position from order_timeline where order_id = ${orderId}) as before`.execute(
    trx,
  )
}

export async function touchOrder(trx: Trx, id: string, at: Date): Promise<void> {
  await trx.updateTable('orders').set({ updated_at: at }).where('id', '=', id).execute()
}

export async function setDueAt(trx: Trx, id: string, at: Date): Promise<void> {
  await trx.updateTable('orders').set({ due_at: at }).where('id', '=', id).execute()
}
