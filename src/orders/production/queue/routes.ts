import { findAccountId, requireRole } from '../../../auth/index.ts'
import { principalOf } from '../../../platform/http/core/principal.ts'
import { nextCursorOf, readCursor } from '../../../platform/http/responses/pagination.ts'
import type { App } from '../../../platform/http/server.ts'
import { readMetadataFilter } from '../../../platform/records/metadata-filter.ts'
import { type ActionDeps, viewFor } from '../../order/action-context.ts'
import { presentOrders } from '../../order/present-orders.ts'
import { inView, OrderPage } from '../../order/schemas.ts'
import { listOrdersPage } from '../../order/store.ts'
import { orderProblems } from '../../problems.ts'
import { readSelection } from './read-selection.ts'
import { QueueQuery } from './schemas.ts'

export function queueRoutes(app: App, deps: ActionDeps): void {
  const { db, clock } = deps

  app.get(
    '/production/orders',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'listProductionOrders',
        problems: [orderProblems.order_number_invalid],
        tags: ['Production'],
        summary: 'List the production queue',
        description:
          'Returns the orders of all customers with their print files, newest first. By default these are the orders that are to be produced or shipped. Names of products and shipping methods are the current ones.',
        querystring: QueueQuery,
        response: { 200: OrderPage },
      },
    },
    async (request) => {
      const { query } = request
      const selection = await readSelection(db, query, {
        findAccount: (email) => findAccountId(db, email),
        now: clock.now(),
      })
      const metadata = readMetadataFilter(query)
      const listing = { ...selection, metadata, after: readCursor(query), limit: query.limit }
      const { rows, nextAfter } = await listOrdersPage(db, listing, { withFiles: true, view: query.view })
      const data = await presentOrders(db, rows, viewFor(deps, principalOf(request)))
      return { data: data.map((order) => inView(order, query.view)), nextCursor: nextCursorOf(nextAfter) }
    },
  )
}
