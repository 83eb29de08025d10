import { type RawBuilder, sql } from 'kysely'
import { addSeconds } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { firstIdAt } from '../../ids.ts'
import { openDisputes } from '../../order/open-disputes.ts'
import type { OrderStatus } from '../../order/state.ts'
import type { OrderListing } from '../../order/store.ts'

/** What an operator searches for. An order matches if it fulfils at least one of the members. */
export interface Search {
  /**
   * Words, or beginnings of words, of the order number, name, company or postal code. `order_search` indexes these
   * columns.
   */
  words?: string
  /** The first half of the order number, and at least one character of the second one. */
  numberBeginning?: string | undefined
  trackingNumbers?: string[]
  /** The external reference of the order, or the reference of its payment. */
  reference?: string
  /** Beginning of the email address in the shipping address. */
  email?: string
  ownerId?: string | undefined
}

export interface Selection {
  /** The owner of all orders of the list. */
  ownerId?: string
  /** The owner whose orders are wanted, if it need not be the owner of all orders of the list. */
  wantedOwnerId?: string
  search?: Search
  createdFrom?: Date
  createdTo?: Date
  country?: string
  shippingMethod?: string
  /** Only orders with at least one of these variants. */
  variantIds?: string[]
  /** Whether the orders with these variants are few enough to be found first. */
  hasFewOfVariants?: boolean
  personalization?: 'pending' | 'failed'
  /** Only orders with an open dispute. */
  isDisputed?: boolean
  /** Statuses of the orders whose print files are searched. Without it, all. */
  statuses?: readonly OrderStatus[]
  /** Only orders that were due before this time. */
  dueBefore?: Date
}

export function filterFor(selection: Selection): NonNullable<OrderListing['filter']> {
  const conditions = [...searchConditions(selection), ...periodConditions(selection), ...attributeConditions(selection)]
  return (orders) => conditions.reduce((query, condition) => query.where(condition), orders)
}

/**
 * Creates conditions that first read the few matching ids from an index. Otherwise the planner may scan all orders for
 * an early match.
 */
function searchConditions(selection: Selection): RawBuilder<boolean>[] {
  const { search, personalization, isDisputed, statuses, ownerId, variantIds, hasFewOfVariants } = selection
  const sets: RawBuilder<unknown>[] = []
  if (hasFewOfVariants === true) sets.push(sql`select order_id from order_items where ${isOneOf(variantIds)}`)
  if (search !== undefined) sets.push(searchQuery(search, ofOwner(ownerId)))
  if (personalization !== undefined) {
    // Cancelled orders keep their failed files, so without the statuses each page would compare the ids of all of them.
    const ofStatuses = statuses === undefined ? sql`` : sql`and orders.status = any (${statuses}::text[])`
    sets.push(
      sql`select order_id from item_files join orders on orders.id = order_id where item_files.status = ${personalization} ${ofStatuses} ${ofOwner(ownerId)}`,
    )
  }
  if (isDisputed === true) sets.push(sql`select order_id from (${openDisputes({ ownerId })}) as disputed`)
  return sets.map((ids) => sql<boolean>`orders.id = any (array(${ids}))`)
}

/** Without this condition, a search for the orders of one owner would read the matching orders of all owners. */
function ofOwner(ownerId: string | undefined): RawBuilder<unknown> {
  return ownerId === undefined ? sql`` : sql`and orders.owner_id = ${ownerId}`
}

function searchQuery(search: Search, isOwn: RawBuilder<unknown>): RawBuilder<unknown> {
  const { words, numberBeginning, trackingNumbers, reference, email, ownerId } = search
  const indexed = sql`order_search(number, shipping_address)`
  const ways: RawBuilder<unknown>[] = []
  if (words !== undefined) ways.push(sql`select id from orders where ${indexed} @@ search_query(${words}) ${isOwn}`)
  if (numberBeginning !== undefined) {
    // No index on the number finds beginnings in every collation.
    ways.push(
      sql`select id from orders where ${indexed} @@ ${halvesOf(numberBeginning)}::tsquery and starts_with(number, ${numberBeginning}) ${isOwn}`,
    )
  }
  if (ownerId !== undefined) ways.push(sql`select id from orders where owner_id = ${ownerId} ${isOwn}`)
  if (email !== undefined)
    ways.push(sql`select id from orders where ${indexed} @@ ${emailQuery(email)}::tsquery ${isOwn}`)
  if (trackingNumbers !== undefined) {
    ways.push(
      sql`select order_id from shipments join orders on orders.id = order_id where tracking_number = any (${trackingNumbers}::text[]) ${isOwn}`,
    )
  }
  if (reference !== undefined) {
    ways.push(sql`select id from orders where external_reference = ${reference} ${isOwn}`)
    ways.push(
      sql`select order_id from payments join orders on orders.id = order_id where reference = ${reference} ${isOwn}`,
    )
  }
  return sql.join(ways, sql` union `)
}

/**
 * Returns the `tsquery` for the lexemes that `order_search` creates from the halves of a number such as `PL-7KQ4-M2T`. The
 * first half alone may also be a name or a postal code of many orders. Fewer than three characters of the second half would
 * match too many lexemes.
 */
function halvesOf(numberBeginning: string): string {
  const [, first = '', second = ''] = numberBeginning.toLowerCase().split('-')
  return second.length < 3 ? `'${first}'` : `'${first}' & '${second}':*`
}

/** Formats an email address as a `tsquery` for the lexeme that the SQL function `order_search` creates from it. */
function emailQuery(text: string): string {
  return `'${text.toLowerCase().replaceAll('\\', '\\\\').replaceAll("'", "''")}':*`
}

/** An id is created shortly before its order, so a period of orders covers ids from somewhat earlier. */
const ID_MARGIN_SECONDS = 24 * 3600

/**
 * Returns the range of ids that orders of a period can have. Ids contain the time of their creation, so fewer rows are
 * read.
 */
export function idRangeOf({ createdFrom, createdTo }: Selection): NonNullable<OrderListing['idRange']> {
  return {
    ...(createdFrom === undefined ? {} : { firstId: firstIdAt('order', addSeconds(createdFrom, -ID_MARGIN_SECONDS)) }),
    ...(createdTo === undefined ? {} : { endId: firstIdAt('order', addSeconds(createdTo, ID_MARGIN_SECONDS)) }),
  }
}

function periodConditions({ createdFrom, createdTo }: Selection): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = []
  if (createdFrom !== undefined) conditions.push(sql`orders.created_at >= ${createdFrom}`)
  if (createdTo !== undefined) conditions.push(sql`orders.created_at < ${createdTo}`)
  return conditions
}

function attributeConditions(selection: Selection): RawBuilder<boolean>[] {
  const { country, shippingMethod, variantIds, hasFewOfVariants, dueBefore, wantedOwnerId } = selection
  const conditions: RawBuilder<boolean>[] = []
  if (wantedOwnerId !== undefined) conditions.push(sql`orders.owner_id = ${wantedOwnerId}`)
  if (country !== undefined) conditions.push(sql`orders.shipping_address ->> 'country' = ${country}`)
  if (dueBefore !== undefined) conditions.push(sql`orders.due_at < ${dueBefore}`)
  if (shippingMethod !== undefined) conditions.push(sql`orders.shipping_method = ${shippingMethod}`)
  if (variantIds !== undefined && hasFewOfVariants !== true) {
    conditions.push(sql`exists (select from order_items where order_id = orders.id and ${isOneOf(variantIds)})`)
  }
  return conditions
}

const isOneOf = (variantIds: string[] = []) => sql<boolean>`variant_id = any (${variantIds}::text[])`

/** Reading this many orders by their ids takes some 20 ms. Of more orders, there are some on each page of all orders. */
const FEW_ORDERS = 10_000

/**
 * Tells whether few orders have one of these variants. Then they are read first: a page of a product that was hardly
 * ordered would otherwise read all orders.
 */
export async function areFewOrders(db: Db, variantIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ items: number }>`
    select count(*)::int as items from (
      select from order_items where variant_id = any (${variantIds}::text[]) limit ${FEW_ORDERS + 1}::int) as found`.execute(
    db,
  )
  return (rows[0]?.items ?? 0) <= FEW_ORDERS
}
