import { requireScope } from '../auth/index.ts'
import { readRecord } from '../platform/concurrency/paced-reads.ts'
import type { DatabasePool } from '../platform/db/index.ts'
import type { Replica } from '../platform/db/reading/replica.ts'
import { principalOf } from '../platform/http/core/principal.ts'
import type { SignedLinks } from '../platform/http/links/signed-links.ts'
import { nextCursorOf } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { batchRoutes } from './batches/routes.ts'
import { cancellationRoutes } from './cancellation/routes.ts'
import { type CheckoutDeps, checkoutRoutes } from './checkout/routes.ts'
import { correctionRoutes } from './corrections/routes.ts'
import { itemFileLinkRoutes } from './item-files/link-routes.ts'
import { itemFileRoutes, type ProductionFileDeps, productionFileRoutes } from './item-files/routes.ts'
import { noteRoutes } from './notes/routes.ts'
import { presentOrder } from './order/bodies/present-orders.ts'
import { OrderParams } from './order/bodies/requests.ts'
import { inView, OrderBody, OrderPage, toOrderBody } from './order/bodies/schemas.ts'
import { orderKey, viewFor } from './order/change/action-context.ts'
import { withETag } from './order/change/if-match.ts'
import { createOrderReader, listOrdersPage } from './order/store.ts'
import { type PaymentRouteDeps, paymentRoutes } from './payments/routes.ts'
import { type PickListDeps, pickListRoutes } from './pick-list/routes.ts'
import { type PrintFileDeps, printFileRoutes } from './print-files/routes.ts'
import { orderProblems } from './problems.ts'
import { orderActionRoutes, resolveHoldRoutes } from './production/action-routes.ts'
import { bulkRoutes } from './production/bulk/routes.ts'
import { listForStaff, readPage } from './production/queue/list-for-staff.ts'
import { readSelection } from './production/queue/read-selection.ts'
import { queueRoutes } from './production/queue/routes.ts'
import { OrderListQuery } from './production/queue/schemas.ts'
import { shipmentImportRoutes } from './production/shipment-import/routes.ts'
import { shipmentRoutes } from './production/shipment-routes.ts'
import { type ShippingDeps, shippingRoutes } from './shipping/routes.ts'
import type { ReadFailures } from './statistics/read-statistics.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import { taxRoutes } from './tax/routes.ts'

export type OrderRouteDeps = CheckoutDeps &
  PaymentRouteDeps &
  PickListDeps &
  PrintFileDeps &
  ProductionFileDeps &
  ShippingDeps & {
    /** Runs reads as prepared statements. */
    reads: DatabasePool['reads']
    replica: Replica
    links: SignedLinks
  }

export function orderRoutes(app: App, deps: OrderRouteDeps, failures: ReadFailures): void {
  const { db, clock } = deps
  const readOrder = createOrderReader(deps)
  shippingRoutes(app, deps)
  taxRoutes(app, deps)
  checkoutRoutes(app, deps)

  app.get(
    '/orders',
    {
      onRequest: requireScope('orders:read'),
      schema: {
        operationId: 'listOrders',
        problems: [orderProblems.order_number_invalid],
        tags: ['Orders'],
        summary: 'List orders',
        description:
          'Customers list their own orders, operators the orders of all customers with their print files. Newest first by default. The filters are those of `GET /production/orders`, but the list has orders in all statuses by default.',
        querystring: OrderListQuery,
        response: { 200: OrderPage },
      },
    },
    async (request) => {
      const { query } = request
      const principal = principalOf(request)
      const view = viewFor(deps, principal)
      if (view.operator) return listForStaff(deps, query, { view, hasAllStatuses: true })
      const { userId: ownerId } = principal
      const selection = await readSelection(db, query, { ownerId, hasAllStatuses: true, now: clock.now() })
      const listing = { ...selection, ...readPage(query) }
      const { rows, nextAfter } = await listOrdersPage(db, listing, { withFiles: false, view: query.view })
      const shown = { operator: false, onlinePayment: view.onlinePayment }
      const data = rows.map((order) => inView(toOrderBody(order, shown), query.view))
      return { data, nextCursor: nextCursorOf(nextAfter) }
    },
  )

  app.get(
    '/orders/:orderId',
    {
      onRequest: requireScope('orders:read'),
      config: { sets: ['ETag'] },
      schema: {
        operationId: 'getOrder',
        tags: ['Orders'],
        summary: 'Read an order',
        description:
          'Operators also see the print files. The `ETag` is the version for `If-Match`, with which actions require that the order has not changed since it was read. No event announces that the print files of an item are ready: poll this operation every few seconds until `personalization.status` changes or `availableActions` contains `start_production`.',
        params: OrderParams,
        response: { 200: OrderBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      return readRecord(async () => {
        const order = await readOrder(orderKey(principal, request.params.orderId))
        if (order === undefined) throw orderProblems.order_not_found()
        return withETag(reply, await presentOrder(db, order, viewFor(deps, principal)))
      })
    },
  )

  cancellationRoutes(app, deps)
  resolveHoldRoutes(app, deps)
  noteRoutes(app, deps)
  correctionRoutes(app, deps)
  itemFileRoutes(app, deps)
  itemFileLinkRoutes(app, deps)
  paymentRoutes(app, deps)
  queueRoutes(app, deps)
  statisticsRoutes(app, { ...failures, replica: deps.replica, clock })
  productionFileRoutes(app, deps)
  orderActionRoutes(app, deps)
  bulkRoutes(app, deps)
  shipmentRoutes(app, deps)
  shipmentImportRoutes(app, deps)
  pickListRoutes(app, deps)
  printFileRoutes(app, deps)
  batchRoutes(app, deps)
}
