import { requireRole } from '../../auth/index.ts'
import { toStoredFile } from '../../designs/index.ts'
import { STORED_ANSWERS, sendStored } from '../../platform/http/send-stored.ts'
import type { App } from '../../platform/http/server.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { findItemFile } from '../item-files/find-item-file.ts'
import { ItemFileBytes, ItemFileParams } from '../item-files/schemas.ts'
import type { ActionDeps } from '../order/action-context.ts'
import { findOrder } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { orderActionRoutes } from './action-routes.ts'
import { queueRoutes } from './queue/routes.ts'
import { shipmentRoutes } from './shipment-routes.ts'

/** Adds the routes of operators. */
export function productionRoutes(app: App, deps: ActionDeps & { storage: Storage }): void {
  const { db, storage } = deps

  queueRoutes(app, deps)

  app.get(
    '/production/orders/:orderId/items/:itemId/files/:fileId',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'getOrderItemFile',
        tags: ['Production'],
        summary: 'Download a print file or preview of an order item',
        description: 'For operators. The owner uses `getOwnOrderItemFile`, which returns the same file.',
        params: ItemFileParams,
        response: { 200: ItemFileBytes, ...STORED_ANSWERS },
      },
    },
    async (request, reply) => {
      const { orderId, itemId, fileId } = request.params
      const order = await findOrder(db, { id: orderId })
      if (order === undefined) throw orderProblems.order_not_found()
      const { file, baseName } = await findItemFile(db, order, { itemId, fileId })
      return sendStored(request, reply, { storage, file: toStoredFile(file, baseName) })
    },
  )

  orderActionRoutes(app, deps)
  shipmentRoutes(app, deps)
}
