import { requireRole } from '../../auth/index.ts'
import { sendFinalizationFile } from '../../designs/index.ts'
import { readCursor, toPage } from '../../platform/http/pagination.ts'
import { principalOf } from '../../platform/http/principal.ts'
import { STORED_ANSWERS } from '../../platform/http/send-stored.ts'
import type { App } from '../../platform/http/server.ts'
import { isOrderNumber } from '../checkout/order-number.ts'
import { type OrderDeps, viewFor } from '../context.ts'
import { findItemFile } from '../item-files/find-item-file.ts'
import { ItemFileBytes, ItemFileParams } from '../item-files/schemas.ts'
import { presentOrders } from '../order/present-orders.ts'
import { OrderPage } from '../order/schemas.ts'
import type { OrderStatus } from '../order/state.ts'
import { findOrder, listOrders } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { orderActionRoutes } from './action-routes.ts'
import { ProductionListQuery } from './schemas.ts'
import { shipmentRoutes } from './shipment-routes.ts'

/** What waits for somebody in the print house. */
const IN_THE_HOUSE: readonly OrderStatus[] = ['confirmed', 'in_production', 'partially_shipped', 'on_hold']

/** For operators: what is to be made, from what, and what became of it. */
export function productionRoutes(app: App, deps: OrderDeps): void {
  const { db, storage } = deps

  app.get(
    '/production/orders',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'listProductionOrders',
        tags: ['Production'],
        summary: "Every customer's orders with their print files, newest first",
        querystring: ProductionListQuery,
        response: { 200: OrderPage },
      },
    },
    async (request) => {
      const { query } = request
      const orders = await listOrders(db, { ...selectionOf(query), after: readCursor(query), limit: query.limit })
      const { data, nextCursor } = toPage(orders, query, (order) => order)
      return { data: await presentOrders(db, data, viewFor(deps, principalOf(request))), nextCursor }
    },
  )

  app.get(
    '/production/orders/:orderId/items/:itemId/files/:fileId',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'getOrderItemFile',
        tags: ['Production'],
        summary: 'The bytes of a print file or preview of an order item',
        description: 'For whoever prints. Customers read the same file by `getOwnOrderItemFile`.',
        params: ItemFileParams,
        response: { 200: ItemFileBytes, ...STORED_ANSWERS },
      },
    },
    async (request, reply) => {
      const { orderId, itemId, fileId } = request.params
      const order = await findOrder(db, { id: orderId })
      if (order === undefined) throw orderProblems.order_not_found()
      const { file, baseName } = await findItemFile(db, order, { itemId, fileId })
      return sendFinalizationFile(request, reply, { storage, file, baseName })
    },
  )

  orderActionRoutes(app, deps)
  shipmentRoutes(app, deps)
}

function selectionOf({ status, number }: { status?: OrderStatus; number?: string }) {
  if (number === undefined) return { statuses: status === undefined ? IN_THE_HOUSE : [status] }
  if (!isOrderNumber(number)) {
    throw orderProblems.order_number_invalid({
      errors: [{ code: 'order_number_invalid', parameter: 'number', detail: 'Look for a typing mistake.' }],
    })
  }
  return { number, ...(status === undefined ? {} : { statuses: [status] }) }
}
