import { requireRole, requireScope } from '../../auth/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import { idempotently, withReservedKey } from '../../platform/http/idempotency.ts'
import { principalOf } from '../../platform/http/principal.ts'
import type { App } from '../../platform/http/server.ts'
import { contextFor, type OrderDeps, viewFor } from '../context.ts'
import { presentOrder } from '../order/present-orders.ts'
import { OrderParams } from '../order/requests.ts'
import { OrderBody } from '../order/schemas.ts'
import type { Order } from '../order/store.ts'
import { payOrder } from './pay-order.ts'
import { findProvider } from './providers/find-provider.ts'
import type { NextAction } from './providers/provider.ts'
import { stripeRoutes } from './providers/stripe/webhook-routes.ts'
import { recordPayment } from './record-payment.ts'
import { answerAfterRefunds } from './refunds/answer-after-refunds.ts'
import { refundOrder, requireRefund } from './refunds/refund-order.ts'
import { PayBody, RecordPaymentBody, RefundBody, RefundRequest, toRefundBody } from './schemas.ts'

/** Money for an order, in both directions. */
export function paymentRoutes(app: App, deps: OrderDeps): void {
  const { db } = deps
  stripeRoutes(app, deps)

  app.post(
    '/orders/:orderId/pay',
    {
      onRequest: requireScope('orders:write'),
      config: { worksWhenDiskIsFull: true },
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
      const principal = principalOf(request)
      // Nobody pays for somebody else: operators record what customers paid in other ways.
      const key = { id: request.params.orderId, ownerId: principal.userId }
      const payment = { token: request.body?.token, payer: { by: 'customer', userId: principal.userId } as const }
      const view = viewFor(deps, principal)
      const commit = (work: (trx: Trx) => Promise<Order>) =>
        idempotently(deps, request, reply, async (trx) => ({
          status: 200,
          body: await presentOrder(trx, await work(trx), view),
        }))
      // Not kept for repetitions: by then the customer may have acted, and the payment goes on.
      const ask = async (order: Order, nextAction: NextAction) => {
        const body = await presentOrder(db, order, view)
        return { ...body, payment: { ...body.payment, nextAction } }
      }
      return withReservedKey<OrderBody>(deps, request, reply, () => payOrder(deps, key, payment, commit, ask))
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
      answerAfterRefunds<RefundBody>(deps, request, (reserved) =>
        idempotently(deps, request, reply, async (trx) => {
          const context = contextFor(deps, { by: 'operator', userId: principalOf(request).userId })
          const key = { id: request.params.orderId }
          const { order, refund } = await refundOrder(trx, context, key, request.body ?? {}, (name) =>
            name === null ? undefined : findProvider(deps, name),
          )
          reserved(order, async () => {
            const current = await requireRefund(db, { orderId: order.id, id: refund.id })
            return toRefundBody(current, order.amounts.currency)
          })
          return { status: 201, body: toRefundBody(refund, order.amounts.currency) }
        }),
      ),
  )
}
