import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { findAccountId, requireRole } from '../../auth/index.ts'
import { DRAW_PROBLEMS, type SheetDeps } from '../../designs/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { signalOfHangUp } from '../../platform/http/connections/hang-up.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import type { App } from '../../platform/http/server.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { OrderParams } from '../order/bodies/requests.ts'
import { requireOrder } from '../order/change/change-order.ts'
import { listOrderIds, type OrderListing } from '../order/select-page.ts'
import { orderProblems } from '../problems.ts'
import { readSelection } from '../production/queue/read-selection.ts'
import { ProductionSelection } from '../production/queue/schemas.ts'
import { PICKABLE, printPickList, printPickLists } from './print-pick-lists.ts'

export const PickListPdf = {
  description: 'A4.',
  content: { 'application/pdf': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
}

export const MAX_ORDERS = 50
const ORDER_ID = '[^,]{1,64}'

const PickListQuery = Type.Object(
  {
    ...ProductionSelection,
    orderIds: Type.Optional(
      Type.String({
        pattern: `^${ORDER_ID}(?:,${ORDER_ID}){0,${MAX_ORDERS - 1}}$`,
        maxLength: 65 * MAX_ORDERS,
        description: `Only these orders: up to ${MAX_ORDERS} ids, separated by commas. Ids without an order are ignored.`,
      }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: MAX_ORDERS, default: 20, description: 'Maximum number of orders.' }),
  },
  { additionalProperties: false },
)

export interface PickListDeps {
  db: Db
  clock: Clock
  log: Log
  sheets: SheetDeps
}

export function sendPickLists(reply: FastifyReply, pdf: Buffer, fileName: string): FastifyReply {
  return reply.header('Content-Disposition', `inline; filename="${fileName}"`).type('application/pdf').send(pdf)
}

/** The renderer works for the caller, and stops when the caller leaves. */
export function printingFor({ clock }: Pick<PickListDeps, 'clock'>, request: FastifyRequest, reply: FastifyReply) {
  return { now: clock.now(), owner: principalOf(request).userId, signal: signalOfHangUp(reply) }
}

type Filter = NonNullable<OrderListing['filter']>

export const amongThese =
  (ids: readonly string[] | undefined, filter: Filter = (orders) => orders): Filter =>
  (orders) =>
    ids === undefined ? filter(orders) : filter(orders).where('orders.id', 'in', ids)

export function pickListRoutes(app: App, deps: PickListDeps): void {
  const { db, clock, sheets, log } = deps
  const guard = requireRole('operator', 'orders:read')

  app.get(
    '/production/orders/:orderId/pick-list',
    {
      onRequest: guard,
      schema: {
        operationId: 'getPickList',
        problems: [...DRAW_PROBLEMS],
        tags: ['Production'],
        summary: 'Download the pick list of an order',
        description:
          'A PDF in A4: each item with a tick box, its preview, its first ten texts (cut at 120 characters) and the unshipped quantity. The pick list of an unpaid order is refused with 409 `order_action_refused`. The pick list of an order on hold or of a cancelled order states not to work on it. Names of products and shipping methods are the current ones.',
        params: OrderParams,
        response: { 200: PickListPdf },
      },
    },
    async (request, reply) => {
      const order = await requireOrder(db, { id: request.params.orderId })
      const pdf = await printPickList(db, sheets, order, printingFor(deps, request, reply))
      return sendPickLists(reply, pdf, `${order.number}-pick-list.pdf`)
    },
  )

  app.get(
    '/production/pick-list',
    {
      onRequest: guard,
      schema: {
        operationId: 'getPickLists',
        problems: [...DRAW_PROBLEMS, orderProblems.order_number_invalid, orderProblems.order_not_found],
        tags: ['Production'],
        summary: 'Download the pick lists of several orders',
        description:
          'One PDF with the pick lists of the first orders that match the filters of the production queue, 50 at most. Unpaid and cancelled orders are skipped. If a pick list cannot be drawn, its page says so. If no order matches, the response is 404.',
        querystring: PickListQuery,
        response: { 200: PickListPdf },
      },
    },
    async (request, reply) => {
      const { limit, orderIds, ...query } = request.query
      const selection = await readSelection(db, query, {
        findAccount: (email) => findAccountId(db, email),
        now: clock.now(),
      })
      const statuses = selection.statuses?.filter((status) => PICKABLE.includes(status)) ?? PICKABLE
      const filter = amongThese(orderIds?.split(','), selection.filter)
      const ids = await listOrderIds(db, { ...selection, filter, statuses, after: undefined, limit: limit - 1 })
      if (ids.length === 0) throw orderProblems.order_not_found({ detail: 'No paid order matches the filters.' })
      const pdf = await printPickLists({ db, sheets, log }, ids, printingFor(deps, request, reply))
      return sendPickLists(reply, pdf, 'pick-lists.pdf')
    },
  )
}
