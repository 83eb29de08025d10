import { sql } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import type { FinalizationFile } from '../../designs/index.ts'
import type { DatabasePool, Db, Trx } from '../../platform/db/index.ts'
import { isId } from '../../platform/ids.ts'
import type { ItemFilesFailure } from '../item-files/failures.ts'
import type { Address } from './address.ts'
import type { Amounts } from './money.ts'
import type { HeldStatus, ItemFilesStatus, OrderStatus, PaymentStatus, ShipmentStatus } from './state.ts'

/** The files of an item that fills placeholders. */
export interface Personalization {
  status: ItemFilesStatus
  /** With the files, when they are ready. */
  contentHash: string | null
  files: FinalizationFile[] | null
  failure: ItemFilesFailure | null
}

export interface OrderItem {
  id: string
  designId: string
  finalizationId: string
  /** Number of the price lock of the finalization that it was ordered at. */
  priceLock: number
  variantId: string
  quantity: number
  /** Texts by the name of the placeholder they fill. */
  data: Record<string, string> | null
  unitAmount: number
  totalAmount: number
  /** Null for an item that is made like any other of its design. */
  personalization: Personalization | null
}

export interface OrderRefund {
  id: string
  amount: number
  reason: string | null
  createdAt: Date
}

export interface OrderPayment {
  id: string
  status: PaymentStatus
  method: string | null
  reference: string | null
  amount: number
  capturedAmount: number
  refundedAmount: number
  capturedAt: Date | null
  refunds: OrderRefund[]
}

export interface OrderShipment {
  id: string
  status: ShipmentStatus
  carrier: string
  trackingNumber: string | null
  trackingUrl: string | null
  items: { itemId: string; quantity: number }[]
  createdAt: Date
  deliveredAt: Date | null
  returnedAt: Date | null
}

export type Actor = 'customer' | 'operator' | 'system'

export interface TimelineEntry {
  type: string
  at: Date
  by: Actor
  reason: string | null
}

export interface Order {
  id: string
  number: string
  ownerId: string
  status: OrderStatus
  heldStatus: HeldStatus | null
  items: OrderItem[]
  shippingAddress: Address
  shippingMethod: string
  amounts: Amounts
  payment: OrderPayment
  shipments: OrderShipment[]
  timeline: TimelineEntry[]
  metadata: Record<string, string | number | boolean>
  createdAt: Date
  updatedAt: Date
}

/** An order as far as the caller may reach it; without an owner, whoever's it is (for operators). */
export interface OrderKey {
  id: string
  ownerId?: string
}

/** Reads an order with all that belongs to it, in one query; undefined for an unknown or another customer's. */
export async function findOrder(db: Db | Trx, { id, ownerId }: OrderKey): Promise<Order | undefined> {
  if (!isId('order', id)) return undefined
  let query = selectOrders(db).where('orders.id', '=', id)
  if (ownerId !== undefined) query = query.where('orders.owner_id', '=', ownerId)
  const row = await query.executeTakeFirst()
  return row && toOrder(row)
}

/**
 * Makes a `findOrder` for the address that is asked most: by a prepared statement, because planning the query
 * takes longer than running it.
 */
export function createOrderReader({
  db,
  pool,
}: Pick<DatabasePool, 'db' | 'pool'>): (key: OrderKey) => Promise<Order | undefined> {
  const { sql: text } = selectOrders(db)
    .where('orders.id', '=', '')
    .where(sql<boolean>`orders.owner_id = coalesce(${''}::text, orders.owner_id)`)
    .compile()
  return async ({ id, ownerId = null }) => {
    if (!isId('order', id)) return undefined
    const { rows } = await pool.query<OrderRow>({ name: 'order', text, values: [id, ownerId] })
    return rows[0] && toOrder(rows[0])
  }
}

/**
 * Like `findOrder`, and no other transaction changes the order or what belongs to it until this one ends.
 * Reads after it has locked: a query that waited would show the children as they were before the wait.
 */
export async function lockOrder(trx: Trx, { id, ownerId }: OrderKey): Promise<Order | undefined> {
  if (!isId('order', id)) return undefined
  let query = trx.selectFrom('orders').select('id').where('id', '=', id).forUpdate()
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId)
  return (await query.executeTakeFirst()) && findOrder(trx, { id })
}

export interface OrderListing {
  ownerId?: string
  statuses?: readonly OrderStatus[]
  number?: string
  after: string | undefined
  limit: number
}

/** Orders newest first, whole, one more than `limit` where there are more; one query however many they are. */
export async function listOrders(db: Db, { ownerId, statuses, number, after, limit }: OrderListing): Promise<Order[]> {
  let query = selectOrders(db)
  if (ownerId !== undefined) query = query.where('orders.owner_id', '=', ownerId)
  if (statuses !== undefined) query = query.where('orders.status', 'in', statuses)
  if (number !== undefined) query = query.where('orders.number', '=', number)
  if (after !== undefined) query = query.where('orders.id', '<', after)
  const rows = await query
    .orderBy('orders.id', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map(toOrder)
}

function selectOrders(db: Db | Trx) {
  return db
    .selectFrom('orders')
    .innerJoin('payments', 'payments.order_id', 'orders.id')
    .selectAll('orders')
    .select([
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
          .select(['refund.id', 'refund.amount', 'refund.reason', 'refund.created_at as createdAt']),
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
          .orderBy('entry.position')
          .select(['entry.type', 'entry.at', 'entry.actor as by', 'entry.reason']),
      ).as('timeline'),
    ])
}

type OrderRow = Awaited<ReturnType<ReturnType<typeof selectOrders>['executeTakeFirstOrThrow']>>

function toOrder(row: OrderRow): Order {
  return {
    id: row.id,
    number: row.number,
    ownerId: row.owner_id,
    status: row.status as OrderStatus,
    heldStatus: row.held_status as HeldStatus | null,
    items: row.items as unknown as OrderItem[],
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
    payment: {
      id: row.payment_id,
      status: row.payment_status as PaymentStatus,
      method: row.payment_method,
      reference: row.payment_reference,
      amount: row.payment_amount,
      capturedAmount: row.captured_amount,
      refundedAmount: row.refunded_amount,
      capturedAt: row.captured_at,
      refunds: row.refunds.map((refund) => ({ ...refund, createdAt: new Date(refund.createdAt) })),
    },
    shipments: row.shipments.map((shipment) => ({
      id: shipment.id,
      status: shipment.status as ShipmentStatus,
      carrier: shipment.carrier,
      trackingNumber: shipment.trackingNumber,
      trackingUrl: shipment.trackingUrl,
      items: shipment.items,
      createdAt: new Date(shipment.createdAt),
      deliveredAt: toDate(shipment.deliveredAt),
      returnedAt: toDate(shipment.returnedAt),
    })),
    timeline: row.timeline.map(({ type, at, by, reason }) => ({ type, at: new Date(at), by: by as Actor, reason })),
    metadata: row.metadata as Order['metadata'],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}

export async function setOrderStatus(
  trx: Trx,
  id: string,
  { status, heldStatus }: { status: OrderStatus; heldStatus: HeldStatus | null },
): Promise<void> {
  await trx.updateTable('orders').set({ status, held_status: heldStatus }).where('id', '=', id).execute()
}

/** Notes what happened to a locked order, in the order it happened. */
export async function appendTimeline(
  trx: Trx,
  orderId: string,
  entries: readonly (TimelineEntry & { actorId: string | null })[],
): Promise<void> {
  for (const entry of entries) {
    await trx
      .insertInto('order_timeline')
      .values(({ selectFrom, fn, lit }) => ({
        order_id: orderId,
        position: selectFrom('order_timeline')
          .where('order_id', '=', orderId)
          .select(({ eb }) => eb(fn.coalesce(fn.max<number>('position'), lit(0)), '+', lit(1)).as('next')),
        type: entry.type,
        actor: entry.by,
        actor_id: entry.actorId,
        reason: entry.reason,
        at: entry.at,
      }))
      .execute()
  }
}

export async function touchOrder(trx: Trx, id: string, at: Date): Promise<void> {
  await trx.updateTable('orders').set({ updated_at: at }).where('id', '=', id).execute()
}
