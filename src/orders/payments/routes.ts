import { requireRole, requireScope } from '../../auth/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { idempotently, withReservedKey } from '../../platform/http/idempotency/idempotency.ts'
import type { App } from '../../platform/http/server.ts'
import { RefundBody, toRefundBody } from '../order/bodies/payment-body.ts'
import { presentOrder } from '../order/bodies/present-orders.ts'
import { OrderParams } from '../order/bodies/requests.ts'
import { OrderBody } from '../order/bodies/schemas.ts'
import { actingUser, contextFor, viewFor } from '../order/change/action-context.ts'
import { keyToChange } from '../order/change/if-match.ts'
import { respondWithOrder } from '../order/change/respond-with-order.ts'
import type { OrderRefund } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import type { Payments } from './open-payments.ts'
import { payOrder } from './pay-order.ts'
import type { PaymentDeps } from './providers/providers.ts'
import { recordPayment } from './record-payment.ts'
import { executeRefund } from './refunds/execute-refunds.ts'
import { refundOrder } from './refunds/refund-order.ts'
import { PayBody, RecordPaymentBody, RefundRequest } from './schemas.ts'

export type PaymentRouteDeps = PaymentDeps & Pick<Payments, 'addProviderRoutes'>

export function paymentRoutes(app: App, deps: PaymentRouteDeps): void {
  const { db } = deps
  for (const addRoutes of deps.addProviderRoutes) addRoutes(app, { db })

  app.post(
    '/orders/:orderId/pay',
    {
      onRequest: requireScope('orders:write'),
      config: { worksWhenDiskIsFull: 'to_half', honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'payOrder',
        problems: [
          orderProblems.order_action_refused,
          orderProblems.payment_declined,
          orderProblems.payment_unavailable,
          orderProblems.payment_in_progress,
          orderProblems.payment_token_required,
          orderProblems.payment_token_unknown,
        ],
        tags: ['Orders'],
        summary: 'Pay an order through the payment provider',
        description:
          'Only the owner can pay. The service authorizes the amount (payment `authorized`), then captures it. An order with a total of 0 is confirmed without the provider. 402 `payment_declined` has a `reason`: `card_declined`, `insufficient_funds`, `expired_card`, `incorrect_details`, `authentication_failed`, `not_supported`, or `not_accepted` (the provider never takes this payment, for example because the amount is too small). 503 `payment_unavailable` states in `detail` whether nothing was charged or the result is unknown; in both cases repeat the request with the same token, and the service continues the attempt without charging twice. If the customer must act, the response is 200 with the order still `awaiting_payment` and `payment.nextAction`, which only this response contains. With Stripe and without a token, its `type` is `redirect`, and the customer pays at its `redirectUrl`, a page of Stripe. While that page is open, further requests return the same page. For 3-D Secure, `clientSecret` is for `handleNextAction` of Stripe.js. With `processing`, the bank of the customer decides later. After the customer has acted, the service confirms the order when the provider reports the payment, or at once if the client repeats the request with the same token or without one. A request with another token, a cancellation, a recorded payment or one hour without action ends the attempt. An account makes at most 20 attempts an hour that take no money, and all guests of one network at most 600; further ones return 429 `rate_limited`, as does an account that continues attempts more than 60 times in ten minutes. While the provider processes a payment, other payments and cancelling return 409 `payment_in_progress`.',
        params: OrderParams,
        body: PayBody,
        response: { 200: OrderBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      // Only the owner can pay. Operators record payments that customers made by other means.
      const key = { id: request.params.orderId, ownerId: principal.userId }
      const payment = { token: request.body?.token, payer: actingUser(principal, 'customer') }
      const view = viewFor(deps, principal)
      return withReservedKey<OrderBody>(deps, request, reply, async () => {
        const { order, nextAction } = await payOrder(deps, key, payment)
        const body = await presentOrder(db, order, view)
        if (nextAction === undefined) return { status: 200, body }
        // A repetition of this request must run again: the customer may have acted since, so that the payment
        // continues.
        return { status: 200, body: { ...body, payment: { ...body.payment, nextAction } }, isRepeatable: true }
      })
    },
  )

  app.post(
    '/orders/:orderId/payments',
    {
      onRequest: requireRole('operator', 'payments:write'),
      config: { honours: ['Idempotency-Key', 'If-Match'], sets: ['ETag'] },
      schema: {
        operationId: 'recordPayment',
        problems: [
          orderProblems.order_action_refused,
          orderProblems.payment_amount_mismatch,
          orderProblems.payment_in_progress,
        ],
        tags: ['Production'],
        summary: 'Record a payment made by other means',
        description:
          'Confirms an order that was paid by bank transfer, in cash or on account. An `amount` must equal the total. While a payment of the customer is in progress, the response is 409 `payment_in_progress`.',
        params: OrderParams,
        body: RecordPaymentBody,
        response: { 200: OrderBody },
      },
    },
    async (request, reply) =>
      respondWithOrder(deps, request, reply, 'operator', (trx, context) =>
        recordPayment(trx, context, keyToChange(request, deps, { id: request.params.orderId }), request.body),
      ),
  )

  app.post(
    '/orders/:orderId/refunds',
    {
      onRequest: requireRole('operator', 'payments:write'),
      config: { honours: ['Idempotency-Key', 'If-Match'] },
      schema: {
        operationId: 'refundOrder',
        problems: [
          orderProblems.order_action_refused,
          orderProblems.refund_too_large,
          orderProblems.refund_amount_refused,
          orderProblems.refund_refused,
          orderProblems.payment_provider_missing,
          orderProblems.payment_unavailable,
          orderProblems.payment_in_progress,
        ],
        tags: ['Production'],
        summary: 'Refund a payment in part or in full',
        description:
          'The amount is reserved before the provider is called. If the provider does not respond, the response is 201 with a refund of status `pending`, and the service makes the refund once as soon as the provider responds. `payment.refunded`, `refundedAmount` and the status of the payment count only completed refunds. If the provider refuses, the response is 409 `refund_refused` with `failure`; the order lists the refund as `failed`, and the amount can be refunded again. If the order is cancelled in the meantime, or if the refusal arrives later, only `payment.refund_failed` in the timeline reports it. A payment that operators recorded by hand is refunded by hand; the refund is then only a record. If the provider of the payment is not configured, the response is 409 `payment_provider_missing`.',
        params: OrderParams,
        body: RefundRequest,
        response: { 201: RefundBody },
      },
    },
    async (request, reply) =>
      idempotently(deps, request, reply, async (trx) => {
        const context = contextFor(deps, actingUser(principalOf(request), 'operator'))
        const key = keyToChange(request, deps, { id: request.params.orderId })
        const { order, refund } = await refundOrder(trx, context, key, request.body ?? {}, deps)
        const present = (current: OrderRefund) => toRefundBody(current, order.amounts.currency)
        return {
          status: 201,
          body: present(refund),
          finish: async () => present(await executeRefund(deps, order, refund)),
        }
      }),
  )
}
