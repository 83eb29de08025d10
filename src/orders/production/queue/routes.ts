import { findAccountId, requireRole } from '../../../auth/index.ts'
import { readCursor, toPage } from '../../../platform/http/pagination.ts'
import { principalOf } from '../../../platform/http/principal.ts'
import type { App } from '../../../platform/http/server.ts'
import { type OrderDeps, viewFor } from '../../context.ts'
import { presentOrders } from '../../order/present-orders.ts'
import { OrderPage } from '../../order/schemas.ts'
import { listOrders } from '../../order/store.ts'
import { readSelection } from './read-selection.ts'
import { QueueQuery } from './schemas.ts'

/** The work of a print house: every customer's orders. */
export function queueRoutes(app: App, deps: OrderDeps): void {
  const { db } = deps

  app.get(
    '/production/orders',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'listProductionOrders',
        tags: ['Production'],
        summary: "Every customer's orders with their print files, newest first",
        querystring: QueueQuery,
        response: { 200: OrderPage },
      },
    },
    async (request) => {
      const { query } = request
      const selection = await readSelection(db, query, (email) => findAccountId(db, email))
      const orders = await listOrders(db, { ...selection, after: readCursor(query), limit: query.limit })
      const { data, nextCursor } = toPage(orders, query, (order) => order)
      return { data: await presentOrders(db, data, viewFor(deps, principalOf(request))), nextCursor }
    },
  )
}
