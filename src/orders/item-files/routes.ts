import { requireRole, requireScope } from '../../auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { STORED_FILE_RESPONSES, sendStored } from '../../platform/http/responses/send-stored.ts'
import type { App } from '../../platform/http/server.ts'
import { type Storage, storageProblems } from '../../platform/storage/index.ts'
import { type ActionDeps, orderKey } from '../order/action-context.ts'
import { requireOrder } from '../order/change-order.ts'
import { keyToChange } from '../order/if-match.ts'
import { NoBody } from '../order/requests.ts'
import { respondWithOrder } from '../order/respond-with-order.ts'
import { OrderBody } from '../order/schemas.ts'
import { orderProblems } from '../problems.ts'
import { findItemFile } from './find-item-file.ts'
import { retryItemFiles } from './retry-item-files.ts'
import { ItemFileBytes, ItemFileParams, ItemParams } from './schemas.ts'

const download = {
  summary: 'Download a print file or preview of an order item',
  params: ItemFileParams,
  response: { 200: ItemFileBytes, ...STORED_FILE_RESPONSES },
}

export function itemFileRoutes(app: App, deps: ActionDeps & { storage: Storage }): void {
  const { db, storage } = deps

  app.get(
    '/orders/:orderId/items/:itemId/files/:fileId',
    {
      onRequest: requireScope('orders:read'),
      schema: {
        ...download,
        operationId: 'getOwnOrderItemFile',
        problems: [
          orderProblems.file_not_found,
          orderProblems.item_files_not_ready,
          storageProblems.storage_unavailable,
        ],
        tags: ['Orders'],
        description:
          'For the owner of the order and for operators, such as the `previewUrl` of an item. Until the files of an item with texts of its own are ready, the result is 409 `item_files_not_ready`.',
      },
    },
    async (request, reply) => {
      const order = await requireOrder(db, orderKey(principalOf(request), request.params.orderId))
      return sendStored(request, reply, { storage, file: await findItemFile(db, order, request.params) })
    },
  )

  app.post(
    '/orders/:orderId/items/:itemId/files/retry',
    {
      onRequest: requireRole('operator', 'production:write'),
      config: { honours: ['Idempotency-Key', 'If-Match'], sets: ['ETag'] },
      schema: {
        operationId: 'retryOrderItemFiles',
        problems: [
          orderProblems.order_action_refused,
          orderProblems.item_files_not_failed,
          storageProblems.storage_unavailable,
        ],
        tags: ['Production'],
        summary: 'Retry failed print files of an order item',
        description:
          'The service tries to render the files of an item five times, and then they are `failed`. This operation makes them `pending` and starts five new tries.',
        params: ItemParams,
        body: NoBody,
        response: { 202: OrderBody },
      },
    },
    async (request, reply) =>
      respondWithOrder(
        deps,
        request,
        reply,
        'operator',
        (trx, context) => {
          const { orderId, itemId } = request.params
          const key = { ...keyToChange(request, deps, { id: orderId }), itemId }
          return retryItemFiles(trx, Object.assign(context, { storage }), key)
        },
        202,
      ),
  )
}

export function productionFileRoutes(app: App, { db, storage }: { db: Db; storage: Storage }): void {
  app.get(
    '/production/orders/:orderId/items/:itemId/files/:fileId',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        ...download,
        operationId: 'getOrderItemFile',
        problems: [
          orderProblems.file_not_found,
          orderProblems.item_files_not_ready,
          storageProblems.storage_unavailable,
        ],
        tags: ['Production'],
        description: 'For operators. The owner uses `getOwnOrderItemFile`, which returns the same file.',
      },
    },
    async (request, reply) => {
      const order = await requireOrder(db, { id: request.params.orderId })
      return sendStored(request, reply, { storage, file: await findItemFile(db, order, request.params) })
    },
  )
}
