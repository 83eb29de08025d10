import { requireRole } from '../../../auth/index.ts'
import { principalOf } from '../../../platform/http/core/principal.ts'
import type { App } from '../../../platform/http/server.ts'
import { OrderPage } from '../../order/bodies/schemas.ts'
import { type ActionDeps, viewFor } from '../../order/change/action-context.ts'
import { orderProblems } from '../../problems.ts'
import { listForStaff, type StaffListDeps } from './list-for-staff.ts'
import { QueueQuery } from './schemas.ts'

export function queueRoutes(app: App, deps: Pick<ActionDeps, 'provider'> & StaffListDeps): void {
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
    (request) => {
      const view = viewFor(deps, principalOf(request))
      return listForStaff(deps, request.query, { view, hasAllStatuses: false })
    },
  )
}
