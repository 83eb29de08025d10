import { Type } from 'typebox'
import { requireRole } from '../../auth/index.ts'
import { DRAW_PROBLEMS } from '../../designs/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import { locationOfNew } from '../../platform/http/responses/location.ts'
import { readCursor, toPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { listOrderIds } from '../order/select-page.ts'
import { PICKABLE, printPickLists } from '../pick-list/print-pick-lists.ts'
import {
  amongThese,
  MAX_ORDERS,
  type PickListDeps,
  PickListPdf,
  printingFor,
  sendPickLists,
} from '../pick-list/routes.ts'
import { orderProblems } from '../problems.ts'
import { addToBatch, closeBatch, createBatch, removeFromBatch, requireBatch } from './change-batch.ts'
import { batchProblems } from './problems.ts'
import {
  BatchBody,
  BatchListQuery,
  BatchOrderParams,
  BatchOrdersBody,
  BatchPage,
  BatchParams,
  BatchPickListQuery,
  NewBatchBody,
  toBatchBody,
  toBatchSummary,
} from './schemas.ts'
import { type Batch, listBatches, listBatchOrders, pageOfBatchOrders } from './store.ts'

const tags = ['Production']

export function batchRoutes(app: App, deps: PickListDeps): void {
  const { db } = deps
  changingRoutes(app, deps)
  pickListRoute(app, deps)

  app.get(
    '/production/batches',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'listBatches',
        tags,
        summary: 'List production batches',
        description: 'Newest first. Default: open and closed ones.',
        querystring: BatchListQuery,
        response: { 200: BatchPage },
      },
    },
    async ({ query }) => {
      const isOpen = query.status === undefined ? undefined : query.status === 'open'
      const page = { isOpen, after: readCursor(query), limit: query.limit }
      return toPage(await listBatches(db, page), query, toBatchSummary)
    },
  )

  app.get(
    '/production/batches/:batchId',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'getBatch',
        tags,
        summary: 'Read a production batch with its orders',
        description:
          'Orders that were put on hold or cancelled stay in the batch, with their present status. To start production, ship, hold or release the orders, send their ids and revisions to `POST /production/bulk`; for their print files, send the ids to `POST /production/print-files`.',
        params: BatchParams,
        response: { 200: BatchBody },
      },
    },
    async ({ params }) => present(db, await requireBatch(db, params.batchId)),
  )
}

async function present(db: Db | Trx, batch: Batch): Promise<BatchBody> {
  return toBatchBody(batch, await listBatchOrders(db, batch.id))
}

function changingRoutes(app: App, deps: PickListDeps): void {
  const { db, clock } = deps
  const onRequest = requireRole('operator', 'production:write')

  app.post(
    '/production/batches',
    {
      onRequest,
      config: { honours: ['Idempotency-Key'], sets: ['Location'] },
      schema: {
        operationId: 'createBatch',
        problems: [batchProblems.batch_orders_refused],
        tags,
        summary: 'Create a production batch',
        description:
          'Groups up to 200 orders that are produced together. An order is in at most one open batch, and must be paid and not complete: otherwise nothing is created, and `errors` names each order at fault and the batch that has it.',
        body: NewBatchBody,
        response: { 201: BatchBody },
      },
    },
    async (request, reply) =>
      idempotently(deps, request, reply, async (trx) => {
        const { name = null, orderIds } = request.body
        const batch = await createBatch(trx, { name, orderIds, now: clock.now() })
        return {
          status: 201,
          body: await present(trx, batch),
          headers: locationOfNew(request, batch),
        }
      }),
  )

  app.post(
    '/production/batches/:batchId/orders',
    {
      onRequest,
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'addOrdersToBatch',
        problems: [batchProblems.batch_closed, batchProblems.batch_full, batchProblems.batch_orders_refused],
        tags,
        summary: 'Add orders to a production batch',
        description:
          'Adds all orders at the end, or none. Orders that the batch already has stay where they are, so that a request can be repeated.',
        params: BatchParams,
        body: BatchOrdersBody,
        response: { 200: BatchBody },
      },
    },
    async (request, reply) =>
      idempotently(deps, request, reply, async (trx) => {
        const { orderIds } = request.body
        const batch = await addToBatch(trx, request.params.batchId, { orderIds, now: clock.now() })
        return { status: 200, body: await present(trx, batch) }
      }),
  )

  app.delete(
    '/production/batches/:batchId/orders/:orderId',
    {
      onRequest,
      schema: {
        operationId: 'removeOrderFromBatch',
        problems: [batchProblems.batch_closed],
        tags,
        summary: 'Remove an order from a production batch',
        description: 'The order itself does not change. Has no effect if the batch does not have the order.',
        params: BatchOrderParams,
        response: { 204: Type.Null() },
      },
    },
    async ({ params }, reply) => {
      await db.transaction().execute((trx) => removeFromBatch(trx, params.batchId, params.orderId))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/production/batches/:batchId/close',
    {
      onRequest,
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'closeBatch',
        tags,
        summary: 'Close a production batch',
        description:
          'The batch keeps its orders, which can then be in another one, and does not change any more. Has no effect on a closed batch.',
        params: BatchParams,
        response: { 200: BatchBody },
      },
    },
    async (request, reply) =>
      idempotently(deps, request, reply, async (trx) => {
        const batch = await closeBatch(trx, request.params.batchId, clock.now())
        return { status: 200, body: await present(trx, batch) }
      }),
  )
}

function pickListRoute(app: App, deps: PickListDeps): void {
  const { db } = deps
  app.get(
    '/production/batches/:batchId/pick-list',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'getBatchPickLists',
        problems: [...DRAW_PROBLEMS, orderProblems.order_not_found],
        tags,
        summary: 'Download the pick lists of a production batch',
        description:
          'One PDF with the pick lists of up to 50 orders of the batch, in its order; `offset` continues. Unpaid and cancelled orders are skipped. If a pick list cannot be drawn, its page says so. If no order is left, the response is 404 `order_not_found`.',
        params: BatchParams,
        querystring: BatchPickListQuery,
        response: { 200: PickListPdf },
      },
    },
    async (request, reply) => {
      const { id } = await requireBatch(db, request.params.batchId)
      const ids = await pageOfBatchOrders(db, id, request.query)
      const listing = { filter: amongThese(ids), statuses: PICKABLE, after: undefined, limit: MAX_ORDERS }
      const pickable = new Set(ids.length === 0 ? [] : await listOrderIds(db, listing))
      const orders = ids.filter((orderId) => pickable.has(orderId))
      if (orders.length === 0) throw orderProblems.order_not_found({ detail: 'No paid order is left in the batch.' })
      const pdf = await printPickLists(deps, orders, printingFor(deps, request, reply))
      return sendPickLists(reply, pdf, 'pick-lists.pdf')
    },
  )
}
