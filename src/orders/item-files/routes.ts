import { requireRole, requireScope } from '../../auth/index.ts'
import { toStoredFile } from '../../designs/index.ts'
import { idempotently } from '../../platform/http/idempotency.ts'
import { principalOf } from '../../platform/http/principal.ts'
import { STORED_ANSWERS, sendStored } from '../../platform/http/send-stored.ts'
import type { App } from '../../platform/http/server.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { type ActionDeps, contextFor } from '../order/action-context.ts'
import { presentOrder } from '../order/present-orders.ts'
import { NoBody } from '../order/requests.ts'
import { OrderBody } from '../order/schemas.ts'
import { findOrder } from '../order/store.ts'
import { orderKey, viewFor } from '../order/viewer.ts'
import { orderProblems } from '../problems.ts'
import { findItemFile } from './find-item-file.ts'
import { retryItemFiles } from './retry-item-files.ts'
import { ItemFileBytes, ItemFileParams, ItemParams } from './schemas.ts'

/** Adds the routes that customers download files with, and that operators retry them with. */
export function itemFileRoutes(app: App, deps: ActionDeps & { storage: Storage }): void {
  const { db, storage } = deps
  const bytes = { params: ItemFileParams, response: { 200: ItemFileBytes, ...STORED_ANSWERS } }

  app.get(
    '/orders/:orderId/items/:itemId/files/:fileId',
    {
      onRequest: requireScope('orders:read'),
      schema: {
        ...bytes,
        operationId: 'getOwnOrderItemFile',
        tags: ['Orders'],
        summary: 'Download a print file or preview of an order item',
        description:
          'For the owner of the order. Operators use `getOrderItemFile`. Until the files of an item with texts of its own are ready, the result is 409 `item_files_not_ready`.',
      },
    },
    async (request, reply) => {
      const { orderId, itemId, fileId } = request.params
      const order = await findOrder(db, orderKey(principalOf(request), orderId))
      if (order === undefined) throw orderProblems.order_not_found()
      const { file, baseName } = await findItemFile(db, order, { itemId, fileId })
      return sendStored(request, reply, { storage, file: toStoredFile(file, baseName) })
    },
  )

  app.post(
    '/orders/:orderId/items/:itemId/files/retry',
    {
      onRequest: requireRole('operator', 'orders:write'),
      schema: {
        operationId: 'retryOrderItemFiles',
        tags: ['Production'],
        summary: 'Retry failed print files of an order item',
        description:
          'The service tries to render the files of an item five times. After that, this operation starts again.',
        params: ItemParams,
        body: NoBody,
        response: { 202: OrderBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { orderId, itemId } = request.params
      return idempotently(deps, request, reply, async (trx) => {
        const context = Object.assign(contextFor(deps, { by: 'operator', userId: principal.userId }), { storage })
        const order = await retryItemFiles(trx, context, { id: orderId, itemId })
        return { status: 202, body: await presentOrder(trx, order, viewFor(deps, principal)) }
      })
    },
  )
}
