import { requireRole, requireScope } from '../../auth/index.ts'
import { DRAW_PROBLEMS, drawPrintPage, type PrintPageDeps } from '../../designs/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { signalOfHangUp } from '../../platform/http/connections/hang-up.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { STORED_FILE_RESPONSES, sendStored } from '../../platform/http/responses/send-stored.ts'
import type { App } from '../../platform/http/server.ts'
import { type Storage, storageProblems } from '../../platform/storage/index.ts'
import { NoBody } from '../order/bodies/requests.ts'
import { OrderBody } from '../order/bodies/schemas.ts'
import { type ActionDeps, orderKey } from '../order/change/action-context.ts'
import { keyToChange } from '../order/change/if-match.ts'
import { respondWithOrder } from '../order/change/respond-with-order.ts'
import { orderProblems } from '../problems.ts'
import { findItemFile } from './find-item-file.ts'
import { retryItemFiles } from './retry-item-files.ts'
import {
  ItemFileBytes,
  ItemFilePageParams,
  ItemFilePagePicture,
  ItemFilePageQuery,
  ItemFileParams,
  ItemParams,
} from './schemas.ts'

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
      const key = orderKey(principalOf(request), request.params.orderId)
      return sendStored(request, reply, { storage, file: await findItemFile(db, key, request.params) })
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

export type ProductionFileDeps = PrintPageDeps & { db: Db; storage: Storage }

export function productionFileRoutes(app: App, deps: ProductionFileDeps): void {
  const { db, storage } = deps
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
      const { orderId: id } = request.params
      return sendStored(request, reply, { storage, file: await findItemFile(db, { id }, request.params) })
    },
  )

  app.get(
    '/production/orders/:orderId/items/:itemId/files/:fileId/pages/:page',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'drawOrderItemFilePage',
        problems: [orderProblems.file_not_found, orderProblems.item_files_not_ready, ...DRAW_PROBLEMS],
        tags: ['Production'],
        summary: 'Draw a page of a print file of an order item',
        description:
          'A picture of the page with its bleed, in sRGB, as a PDF reader shows the stored file. Compare it with the preview, which shows the design as it looks when cut. Pages are in the order of the previews. It is drawn by another program than the one that has written the file, which is not a proof: colours on paper depend on the press. Files that are no print files, and pages that do not exist, lead to 404 `file_not_found`.',
        params: ItemFilePageParams,
        querystring: ItemFilePageQuery,
        response: { 200: ItemFilePagePicture },
      },
    },
    async (request, reply) => {
      const { params, query } = request
      const { sha256, mediaType } = await findItemFile(db, { id: params.orderId }, params)
      if (mediaType !== 'application/pdf') throw orderProblems.file_not_found()
      const page = { sha256, page: params.page, widthPx: query.width }
      const job = { owner: principalOf(request).userId, signal: signalOfHangUp(reply) }
      const picture = await drawPrintPage(deps, page, job)
      if (picture === undefined) throw orderProblems.file_not_found({ detail: `The file has no page ${params.page}.` })
      return reply.header('Cache-Control', 'private, no-cache').type('image/webp').send(Buffer.from(picture))
    },
  )
}
