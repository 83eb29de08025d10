import { requireScope } from '../auth/index.ts'
import { principalOf } from '../platform/http/core/principal.ts'
import { idempotently } from '../platform/http/idempotency/idempotency.ts'
import { readCursor, toCutPage } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import { actorFor, contextFor, type OrderDeps, orderKey, viewFor } from './context.ts'
import { holdRoutes } from './holds/routes.ts'
import { itemFileRoutes } from './item-files/routes.ts'
import { cancelOrder } from './order/cancel-order.ts'
import { presentOrder } from './order/present-orders.ts'
import { CancelBody, OrderParams } from './order/requests.ts'
import { OrderBody, OrderListQuery, OrderPage, toOrderBody } from './order/schemas.ts'
import { createOrderReader, listOrdersPage } from './order/store.ts'
import { answerAfterRefunds } from './payments/refunds/answer-after-refunds.ts'
import { paymentRoutes } from './payments/routes.ts'
import { pickListRoutes } from './pick-list/routes.ts'
import { orderProblems } from './problems.ts'
import { productionRoutes } from './production/routes.ts'
import { shippingRoutes } from './shipping/routes.ts'
import { taxRoutes } from './tax/routes.ts'

/** Everything between a finalized design and a delivered parcel. */
export function orderRoutes(app: App, deps: OrderDeps): void {
  const { db } = deps
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
        tags: ['Orders'],
        summary: "List the caller's orders",
        description: 'Newest first.',
        querystring: OrderListQuery,
        response: { 200: OrderPage },
      },
    },
    async (request) => {
      const { query } = request
      const { userId: ownerId } = principalOf(request)
      const view = { operator: false, onlinePayment: deps.provider !== undefined }
      const statuses = query.status === undefined ? {} : { statuses: [query.status] }
      const listing = { ownerId, ...statuses, after: readCursor(query), limit: query.limit }
      const page = await listOrdersPage(db, listing, { withFiles: false })
      return toCutPage(page, (order) => toOrderBody(order, view))
    },
  )

  app.get(
    '/orders/:orderId',
    {
      onRequest: requireScope('orders:read'),
      schema: {
        operationId: 'getOrder',
        tags: ['Orders'],
        summary: 'Read an order',
        description:
          'Operators also see the print files. No event announces that the print files of an item are ready: poll this operation every few seconds until `personalization.status` changes or `availableActions` contains `start_production`.',
        params: OrderParams,
        response: { 200: OrderBody },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const order = await readOrder(orderKey(principal, request.params.orderId))
      if (order === undefined) throw orderProblems.order_not_found()
      return presentOrder(db, order, viewFor(deps, principal))
    },
  )

  app.post(
    '/orders/:orderId/cancel',
    {
      onRequest: requireScope('orders:write'),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'cancelOrder',
        tags: ['Orders'],
        summary: 'Cancel an order',
        description:
          'Possible before production starts. An order on hold must be released first. The captured amount is reserved for a refund in the same transaction; the refund is then made as by `POST /orders/{orderId}/refunds`. Cancelling an order also cancels the print files that are not rendered yet: they fail with `order_cancelled`.',
        params: OrderParams,
        body: CancelBody,
        response: { 200: OrderBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const key = orderKey(principal, request.params.orderId)
      return answerAfterRefunds(deps, request, (reserved) =>
        idempotently(deps, request, reply, async (trx) => {
          const context = contextFor(deps, { by: actorFor(principal), userId: principal.userId })
          const order = await cancelOrder(trx, context, key, request.body?.reason)
          reserved(order, (current) => presentOrder(db, current, viewFor(deps, principal)))
          const body = await presentOrder(trx, order, viewFor(deps, principal))
          return { status: 200, body, isUnchanged: order.updatedAt < context.now }
        }),
      )
    },
  )

  holdRoutes(app, deps)
  itemFileRoutes(app, deps)
  paymentRoutes(app, deps)
  productionRoutes(app, deps)
  pickListRoutes(app, deps)
}
