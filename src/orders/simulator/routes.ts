import { Type } from 'typebox'
import { requireScope } from '../../auth/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { withReservedKey } from '../../platform/http/idempotency/idempotency.ts'
import type { App } from '../../platform/http/server.ts'
import { contextFor, orderKey, viewFor } from '../order/action-context.ts'
import { requireOrder } from '../order/change-order.ts'
import { presentOrder } from '../order/present-orders.ts'
import { OrderParams, optionalBody } from '../order/requests.ts'
import { OrderBody } from '../order/schemas.ts'
import type { Order } from '../order/store.ts'
import { payOrder } from '../payments/pay-order.ts'
import type { PaymentDeps } from '../payments/providers/providers.ts'
import { orderProblems } from '../problems.ts'
import { nextStep, runStep, SHOP_STEPS, type Step } from './steps.ts'

const AdvanceBody = optionalBody(
  Type.Object(
    { step: Type.Optional(Type.Unsafe<Step>({ type: 'string', enum: ['pay', ...SHOP_STEPS] })) },
    { additionalProperties: false },
  ),
)

const TEST_TOKEN = 'test_ok'

/**
 * Adds a route that advances orders as a shop would, for developers of clients. It uses the actions of operators, so
 * statuses, timeline, events and webhooks are real. Only for installations in which all orders are tests.
 */
export function simulatorRoutes(app: App, deps: PaymentDeps): void {
  const { db } = deps

  app.post(
    '/dev/orders/:orderId/advance',
    {
      onRequest: requireScope('orders:write'),
      schema: { hide: true, params: OrderParams, body: AdvanceBody, response: { 200: OrderBody } },
    },
    async (request, reply) => {
      return withReservedKey<OrderBody>(deps, request, reply, async () => {
        const principal = principalOf(request)
        const order = await requireOrder(db, orderKey(principal, request.params.orderId))
        await simulate(deps, order, request.body?.step ?? nextStep(order))
        const moved = await requireOrder(db, { id: order.id })
        return { status: 200, body: await presentOrder(db, moved, viewFor(deps, principal)) }
      })
    },
  )
}

async function simulate(deps: PaymentDeps, { id, ownerId }: Order, step: Step): Promise<void> {
  if (step !== 'pay') {
    const context = contextFor(deps, { by: 'operator', userId: null })
    return deps.db.transaction().execute((trx) => runStep(trx, context, { id }, step))
  }
  const { nextAction } = await payOrder(
    deps,
    { id, ownerId },
    { token: TEST_TOKEN, payer: { by: 'customer', userId: ownerId } },
  )
  if (nextAction === undefined) return
  throw orderProblems.payment_in_progress('The customer must first complete an action at the payment provider.')
}
