import { requireRole, requireScope } from '../../auth/index.ts'
import { findReplay, idempotently } from '../../platform/http/idempotency.ts'
import { principalOf } from '../../platform/http/principal.ts'
import type { App } from '../../platform/http/server.ts'
import { contextFor, type OrderDeps, viewFor } from '../context.ts'
import { presentOrder } from '../order/present-orders.ts'
import { OrderParams } from '../order/requests.ts'
import { OrderBody } from '../order/schemas.ts'
import { payOrder } from './pay-order.ts'
import { recordPayment } from './record-payment.ts'
import { refundOrder } from './refund-order.ts'
import { PayBody, RecordPaymentBody, RefundBody, RefundRequest, toRefundBody } from './schemas.ts'

/** Money for an order, in both directions. */
export function paymentRoutes(app: App, deps: OrderDeps): void {
  const { db } = deps

  app.post(
    '/orders/:orderId/pay',
    {
      onRequest: requireScope('orders:write'),
      schema: {
        operationId: 'payOrder',
        tags: ['Orders'],
        summary: 'Pay an order through the payment provider',
        params: OrderParams,
        body: PayBody,
        response: { 200: OrderBody },
      },
    },
    async (request, reply) => {
      const replay = await findReplay<OrderBody>(deps, request, reply)
      if (replay !== undefined) return replay
      const principal = principalOf(request)
      // Nobody pays for somebody else: operators record what customers paid in other ways.
      const key = { id: request.params.orderId, ownerId: principal.userId }
      const payment = { token: request.body?.token, payer: { by: 'customer', userId: principal.userId } as const }
      return payOrder(deps, key, payment, (work) =>
        idempotently(deps, request, reply, async (trx) => ({
          status: 200,
          body: await presentOrder(trx, await work(trx), viewFor(deps, principal)),
        })),
      )
    },
  )

  app.post(
    '/orders/:orderId/payments',
    {
      onRequest: requireRole('operator', 'orders:write'),
      schema: {
        operationId: 'recordPayment',
        tags: ['Production'],
        summary: 'Record a payment that came in some other way',
        params: OrderParams,
        body: RecordPaymentBody,
        response: { 200: OrderBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      return idempotently(deps, request, reply, async (trx) => {
        const context = contextFor(deps, { by: 'operator', userId: principal.userId })
        const order = await recordPayment(trx, context, { id: request.params.orderId }, request.body)
        return { status: 200, body: await presentOrder(trx, order, viewFor(deps, principal)) }
      })
    },
  )

  app.post(
    '/orders/:orderId/refunds',
    {
      onRequest: requireRole('operator', 'orders:write'),
      schema: {
        operationId: 'refundOrder',
        tags: ['Production'],
        summary: 'Give back what was paid, in part or whole',
        params: OrderParams,
        body: RefundRequest,
        response: { 201: RefundBody },
      },
    },
    async (request, reply) =>
      idempotently({ db, clock: deps.clock }, request, reply, async (trx) => {
        const context = contextFor(deps, { by: 'operator', userId: principalOf(request).userId })
        const { order, refund } = await refundOrder(trx, context, { id: request.params.orderId }, request.body ?? {})
        return { status: 201, body: toRefundBody(refund, order.amounts.currency) }
      }),
  )
}
