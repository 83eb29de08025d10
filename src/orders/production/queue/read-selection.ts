import { userIdOf } from '../../../auth/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { httpProblems } from '../../../platform/http/core/problems.ts'
import { readTimestamp } from '../../../platform/http/input/timestamps.ts'
import { findProduct } from '../../../products/index.ts'
import { normalizeOrderNumber, readOrderNumberBeginning } from '../../order/order-number.ts'
import { hasEnded, ORDER_STATUSES, type OrderStatus, type PaymentStatus } from '../../order/state.ts'
import type { OrderListing, OrderSort } from '../../order/store.ts'
import { orderProblems } from '../../problems.ts'
import type { QueueQuery } from './schemas.ts'
import { areFewOrders, filterFor, idRangeOf, type Search } from './store.ts'

/** Statuses of orders that are to be produced or shipped. */
export const OPEN_STATUSES: readonly OrderStatus[] = ['confirmed', 'in_production', 'partially_shipped', 'on_hold']
/** Statuses of orders whose print files can still be rendered. Cancelling an order ends the rendering of its files. */
const PRINTABLE_STATUSES = ORDER_STATUSES.filter((status) => !hasEnded(status))

/** Who reads a list, and what it contains. */
export interface Reader {
  /** The owner to whose orders the list is restricted. */
  ownerId?: string
  /** Finds the id of an account by email address. Customers may not know which accounts exist. */
  findAccount?: (email: string) => Promise<string | undefined>
  /** An order is late if it was due before this time. */
  now: Date
  /** Whether the list has all orders, and not only those that are to be produced or shipped. */
  hasAllStatuses?: boolean
}

/**
 * Translates the query of a list into the filter, order and id range of a list of orders.
 *
 * @throws `order_number_invalid`, `validation_failed`
 */
export async function readSelection(
  db: Db,
  query: Omit<QueueQuery, 'limit' | 'cursor' | 'view'>,
  { ownerId, findAccount, hasAllStatuses = false, now }: Reader,
): Promise<Omit<OrderListing, 'metadata' | 'after' | 'limit'>> {
  const { number, externalReference, q, country, shippingMethod, productId, personalization } = query
  const period = readPeriod(query)
  const wantedOwnerId = query.customerId === undefined ? undefined : userIdOf(query.customerId)
  // An operator's list of one customer reads the index of the owner, as the customer's own list does.
  const owner = ownersOf(ownerId ?? wantedOwnerId)
  const chosen = readStatuses(query, hasAllStatuses)
  const filter = filterFor({
    ...{ ...owner, ...period },
    ...(wantedOwnerId === undefined ? {} : { wantedOwnerId }),
    ...(q === undefined ? {} : { search: await readSearch(q, findAccount) }),
    ...(country === undefined ? {} : { country }),
    ...(shippingMethod === undefined ? {} : { shippingMethod }),
    ...(productId === undefined ? {} : await variantsOf(db, productId, owner)),
    ...(personalization === undefined ? {} : { personalization, ...chosen }),
    ...(query.disputed === undefined ? {} : { isDisputed: true }),
    ...(query.late === undefined ? {} : { dueBefore: now }),
  })
  return {
    ...owner,
    ...chosen,
    ...(number === undefined ? {} : { number: readNumber(number) }),
    ...(externalReference === undefined ? {} : { externalReference }),
    ...readPaymentStatuses(query),
    sort: SORTS[query.sort ?? '-createdAt'],
    filter,
    idRange: idRangeOf(period),
  }
}

const ownersOf = (ownerId: string | undefined) => (ownerId === undefined ? {} : { ownerId })

const SORTS: Readonly<Record<NonNullable<QueueQuery['sort']>, OrderSort>> = {
  createdAt: 'oldest',
  '-createdAt': 'newest',
  dueAt: 'due',
}

function readPaymentStatuses({ paymentStatus }: Pick<QueueQuery, 'paymentStatus'>) {
  if (paymentStatus === undefined) return {}
  return { paymentStatuses: [...new Set(paymentStatus.split(',') as PaymentStatus[])] }
}

function readStatuses(
  {
    status,
    number,
    externalReference,
    q,
    disputed,
    late,
    personalization,
  }: Omit<QueueQuery, 'limit' | 'cursor' | 'view'>,
  hasAllStatuses: boolean,
): { statuses?: readonly OrderStatus[] } {
  if (status !== undefined) {
    const statuses = [...new Set(status.split(',') as OrderStatus[])]
    return { statuses: late === undefined ? statuses : statuses.filter((one) => OPEN_STATUSES.includes(one)) }
  }
  // Orders that have left the shop are no longer late.
  if (late !== undefined) return { statuses: OPEN_STATUSES }
  const isSearch = number !== undefined || externalReference !== undefined || q !== undefined
  // A search for a certain order covers all statuses, and most orders have left the shop when they are disputed.
  if (!(hasAllStatuses || isSearch || disputed !== undefined)) return { statuses: OPEN_STATUSES }
  return personalization === undefined ? {} : { statuses: PRINTABLE_STATUSES }
}

function readNumber(text: string): string {
  const number = normalizeOrderNumber(text)
  if (number !== undefined) return number
  throw orderProblems.order_number_invalid({
    errors: [
      {
        code: 'order_number_invalid',
        parameter: 'number',
        detail: 'The check character does not match. Check the number for typing errors.',
      },
    ],
  })
}

function readPeriod({ createdFrom, createdTo }: Pick<QueueQuery, 'createdFrom' | 'createdTo'>) {
  const from = readTimestamp(createdFrom, 'createdFrom')
  const to = readTimestamp(createdTo, 'createdTo')
  if (from !== undefined && to !== undefined && from >= to) {
    const detail = 'createdTo must be later than createdFrom.'
    throw httpProblems.validation_failed({ detail, errors: [{ code: 'out_of_range', parameter: 'createdTo', detail }] })
  }
  return { ...(from === undefined ? {} : { createdFrom: from }), ...(to === undefined ? {} : { createdTo: to }) }
}

async function readSearch(q: string, findAccount: Reader['findAccount']): Promise<Search> {
  const text = q.trim()
  if (text.includes('@')) return { reference: text, email: text, ownerId: await findAccount?.(text) }
  const numberBeginning = readOrderNumberBeginning(text)
  // Every order number begins with PL, so PL is not a word to search for.
  const words = text.replace(/^PL[\s-]+/i, '')
  return { words, numberBeginning, reference: text, trackingNumbers: [text, text.replaceAll(' ', '')] }
}

/** The orders of one owner are few anyway, and have an index. */
async function variantsOf(db: Db, productId: string, { ownerId }: { ownerId?: string }) {
  const product = await findProduct(db, productId)
  const variantIds = product?.variants.map(({ id }) => id) ?? []
  return { variantIds, hasFewOfVariants: ownerId === undefined && (await areFewOrders(db, variantIds)) }
}
