import type { Static } from 'typebox'
import { findAccountId } from '../../../auth/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Replica } from '../../../platform/db/reading/replica.ts'
import { nextCursorOf, readCursor } from '../../../platform/http/responses/pagination.ts'
import { readMetadataFilter } from '../../../platform/records/metadata-filter.ts'
import { presentOrders } from '../../order/bodies/present-orders.ts'
import { inView, type OrderPage, type OrderView } from '../../order/bodies/schemas.ts'
import { listOrdersPage } from '../../order/store.ts'
import { readSelection } from './read-selection.ts'
import type { QueueQuery } from './schemas.ts'

export interface StaffListDeps {
  replica: Replica
  clock: Clock
}

/**
 * Returns a page of the orders of all customers, with their print files.
 *
 * @throws `order_number_invalid`, `validation_failed`
 */
export function listForStaff(
  { replica, clock }: StaffListDeps,
  query: QueueQuery,
  { view, hasAllStatuses }: { view: OrderView; hasAllStatuses: boolean },
): Promise<Static<typeof OrderPage>> {
  return replica.read(async (db) => {
    const selection = await readSelection(db, query, {
      findAccount: (email) => findAccountId(db, email),
      now: clock.now(),
      hasAllStatuses,
    })
    const listing = { ...selection, ...readPage(query) }
    const { rows, nextAfter } = await listOrdersPage(db, listing, { withFiles: true, view: query.view })
    const data = await presentOrders(db, rows, view)
    return { data: data.map((order) => inView(order, query.view)), nextCursor: nextCursorOf(nextAfter) }
  })
}

/** Reads which page of a list is wanted. @throws `validation_failed` */
export function readPage(query: QueueQuery) {
  return { metadata: readMetadataFilter(query), after: readCursor(query), limit: query.limit }
}
