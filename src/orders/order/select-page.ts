import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { DB } from '../../platform/db/schema.generated.ts'
import { hasMetadata, type MetadataFilter } from '../../platform/records/metadata-filter.ts'
import { ORDER_STATUSES, type OrderStatus, type PaymentStatus } from './state.ts'

type OrderIds = SelectQueryBuilder<DB, 'orders', { id: string }>

export type OrderSort = 'newest' | 'oldest' | 'due'

export interface OrderListing {
  ownerId?: string
  statuses?: readonly OrderStatus[]
  number?: string
  externalReference?: string
  metadata?: MetadataFilter | undefined
  filter?: (orders: OrderIds) => OrderIds
  /** Restricts the ids to a range that excludes both ends. */
  idRange?: { firstId?: string; endId?: string }
  /** Default: newest first. `due`: the orders that are due first, and those without a due time at the end. */
  sort?: OrderSort | undefined
  /** Only orders whose payment has one of these statuses. */
  paymentStatuses?: readonly PaymentStatus[]
  after: string | undefined
  limit: number
}

function directionOf({ sort }: Pick<OrderListing, 'sort'>): 'asc' | 'desc' {
  return sort === 'oldest' ? 'asc' : 'desc'
}

export function orderOf(listing: Pick<OrderListing, 'sort'>): string {
  return listing.sort === 'due' ? 'orders.due_at, orders.id' : `orders.id ${directionOf(listing)}`
}

/**
 * Selects the ids of one page, and one id more if the list continues. No index over several statuses is ordered by id, so each status is read from its index and the results are merged.
 */
export function selectPage(db: Db, { statuses: wantedStatuses, ...listing }: OrderListing) {
  // Merging all statuses would read a page of each.
  const statuses = wantedStatuses?.length === ORDER_STATUSES.length ? undefined : wantedStatuses
  if (listing.sort === 'due') return selectPageByDue(db, { statuses: statuses ?? ORDER_STATUSES, ...listing })
  const { paymentStatuses, ...others } = listing
  if (paymentStatuses !== undefined && listing.ownerId === undefined) {
    if (statuses !== undefined) return selectPageByBoth(db, { ...others, statuses, paymentStatuses })
    if (!paymentStatuses.includes('captured')) return selectPageByPayment(db, paymentStatuses, others)
  }
  const direction = directionOf(listing)
  const { above, below } = boundsOf(listing)
  const ids = selectIds(db, listing)
  if (statuses === undefined) {
    return ids.where('orders.id', '>', above).where('orders.id', '<', below).orderBy('orders.id', direction)
  }
  const wanted = sql<{ status: OrderStatus }>`unnest(${statuses}::text[])`.as<'wanted'>(sql`wanted (status)`)
  // Compares rows, because only a row comparison can use an index over both columns. With `status = wanted.status`, the
  // planner may scan all orders from the newest on, because it assumes that every status is spread evenly.
  const ofOne = ids
    .where(sql<boolean>`(orders.status, orders.id) > (wanted.status, ${above})`)
    .where(sql<boolean>`(orders.status, orders.id) < (wanted.status, ${below})`)
    .orderBy('orders.status', direction)
    .orderBy('orders.id', direction)
  return db
    .selectFrom(wanted)
    .innerJoinLateral(ofOne.as('found'), (join) => join.onTrue())
    .select('found.id')
    .orderBy('found.id', direction)
    .limit(listing.limit + 1)
}

/** Lists the ids of one page, and one id more if the list continues. */
export async function listOrderIds(db: Db, listing: OrderListing): Promise<string[]> {
  const rows = await selectPage(db, listing).execute()
  return rows.map(({ id }) => id)
}

/** Merges the statuses like `selectPage`, each in the order of its due times. */
function selectPageByDue(db: Db, { statuses, after, ...listing }: OrderListing & { statuses: readonly OrderStatus[] }) {
  const wanted = sql<{ status: OrderStatus }>`unnest(${statuses}::text[])`.as<'wanted'>(sql`wanted (status)`)
  const lastDue = sql`coalesce((select last.due_at from orders as last where last.id = ${after ?? ''}), '-infinity')`
  const { above, below } = boundsOf({ ...listing, after: undefined })
  const ofOne = selectIds(db, { ...listing, after })
    .select('orders.due_at')
    .where(sql<boolean>`(orders.status, orders.due_at, orders.id) > (wanted.status, ${lastDue}, ${after ?? ''})`)
    .where(sql<boolean>`(orders.status, orders.due_at) <= (wanted.status, 'infinity'::timestamptz)`)
    .where('orders.id', '>', above)
    .where('orders.id', '<', below)
    .orderBy('orders.status')
    .orderBy('orders.due_at')
    .orderBy('orders.id')
  return db
    .selectFrom(wanted)
    .innerJoinLateral(ofOne.as('found'), (join) => join.onTrue())
    .select('found.id')
    .orderBy('found.due_at')
    .orderBy('found.id')
    .limit(listing.limit + 1)
}

/**
 * Selects by the status of the payment, which an index orders by id. Nearly all payments are `captured`, and the payments
 * of one customer are few: reading the orders finds those sooner.
 */
function selectPageByPayment(db: Db, paymentStatuses: readonly PaymentStatus[], listing: OrderListing) {
  const direction = directionOf(listing)
  const { above, below } = boundsOf(listing)
  const wanted = sql<{ status: PaymentStatus }>`unnest(${paymentStatuses}::text[])`.as<'wanted'>(sql`wanted (status)`)
  const ofOne = selectIds(db, listing)
    .innerJoin('payments', 'payments.order_id', 'orders.id')
    .where(sql<boolean>`(payments.status, payments.order_id) > (wanted.status, ${above})`)
    .where(sql<boolean>`(payments.status, payments.order_id) < (wanted.status, ${below})`)
    .orderBy('payments.status', direction)
    .orderBy('payments.order_id', direction)
  return db
    .selectFrom(wanted)
    .innerJoinLateral(ofOne.as('found'), (join) => join.onTrue())
    .select('found.id')
    .orderBy('found.id', direction)
    .limit(listing.limit + 1)
}

interface BothStatuses {
  statuses: readonly OrderStatus[]
  paymentStatuses: readonly PaymentStatus[]
}

/**
 * Selects by the statuses of order and payment, each pair from an index. Otherwise a page of cancelled orders with a
 * captured payment would read all cancelled orders, because there are hardly any.
 */
function selectPageByBoth(db: Db, { statuses, paymentStatuses, ...listing }: OrderListing & BothStatuses) {
  const direction = directionOf(listing)
  const { above, below } = boundsOf(listing)
  const pairs = sql<{ order_status: OrderStatus; status: PaymentStatus }>`
    (select o.status, p.status
     from unnest(${statuses}::text[]) as o (status) cross join unnest(${paymentStatuses}::text[]) as p (status))`.as<'wanted'>(
    sql`wanted (order_status, status)`,
  )
  const ofPayment = () => selectIds(db, listing).innerJoin('payments', 'payments.order_id', 'orders.id')
  const ofPair = ofPayment()
    .where(
      sql<boolean>`(payments.order_status, payments.status, payments.order_id) > (wanted.order_status, wanted.status, ${above})`,
    )
    .where(
      sql<boolean>`(payments.order_status, payments.status, payments.order_id) < (wanted.order_status, wanted.status, ${below})`,
    )
    .orderBy('payments.order_status', direction)
    .orderBy('payments.status', direction)
    .orderBy('payments.order_id', direction)
  // Payments of earlier releases, until the job has filled in the status.
  const unfilled = ofPayment()
    .where('payments.order_status', 'is', null)
    .where('payments.status', 'in', paymentStatuses)
    .where('orders.status', 'in', statuses)
    .where('payments.order_id', '>', above)
    .where('payments.order_id', '<', below)
    .orderBy('payments.order_id', direction)
  const found = db
    .selectFrom(pairs)
    .innerJoinLateral(ofPair.as('one'), (join) => join.onTrue())
    .select('one.id')
    .unionAll(db.selectFrom(unfilled.as('rest')).select('rest.id'))
  return db
    .selectFrom(found.as('found'))
    .select('found.id')
    .orderBy('found.id', direction)
    .limit(listing.limit + 1)
}

function selectIds(db: Db, listing: OrderListing): OrderIds {
  const { ownerId, number, externalReference, metadata, filter, paymentStatuses, limit } = listing
  let query: OrderIds = db.selectFrom('orders').select('orders.id')
  if (ownerId !== undefined) query = query.where('orders.owner_id', '=', ownerId)
  if (number !== undefined) query = query.where('orders.number', '=', number)
  if (externalReference !== undefined) query = query.where('orders.external_reference', '=', externalReference)
  if (metadata !== undefined) query = query.where(hasMetadata('orders.metadata', metadata))
  if (filter !== undefined) query = filter(query)
  if (paymentStatuses !== undefined) {
    query = query.where(
      sql<boolean>`exists (
        select from payments p where p.order_id = orders.id and p.status = any (${paymentStatuses}::text[]))`,
    )
  }
  return query.limit(limit + 1)
}

/** Below and above all ids of orders, whose first character after the prefix is 0 to 7. */
const BEFORE_ALL = 'ord_0'
const AFTER_ALL = 'ord_8'

function boundsOf({ after, idRange: { firstId, endId } = {}, ...order }: OrderListing) {
  const isAscending = directionOf(order) === 'asc'
  const lower = [BEFORE_ALL, firstId, isAscending ? after : undefined].filter((id) => id !== undefined)
  const upper = [AFTER_ALL, endId, isAscending ? undefined : after].filter((id) => id !== undefined)
  return { above: lower.sort().at(-1) ?? BEFORE_ALL, below: upper.sort().at(0) ?? AFTER_ALL }
}
