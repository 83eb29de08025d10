import { Type } from 'typebox'
import { requireScope } from '../../auth/index.ts'
import { defineGuard, type Guard } from '../../platform/http/core/guard.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { withReservedKey } from '../../platform/http/idempotency/idempotency.ts'
import type { App } from '../../platform/http/server.ts'
import { presentOrder } from '../order/bodies/present-orders.ts'
import { OrderParams, optionalBody } from '../order/bodies/requests.ts'
import { OrderBody } from '../order/bodies/schemas.ts'
import { contextFor, orderKey, viewFor } from '../order/change/action-context.ts'
import { requireOrder } from '../order/change/change-order.ts'
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
 * Adds a route that moves orders as a shop would, for developers of clients. It uses the actions of operators, so
 * statuses, timeline, events and webhooks are real.
 *
 * @param isSandbox whether all orders of the installation are tests; otherwise the route is 404. It exists everywhere,
 *   because all installations have one API document
 */
export function simulatorRoutes(app: App, deps: PaymentDeps, { isSandbox }: { isSandbox: boolean }): void {
  const { db } = deps

  app.post(
    '/dev/orders/:orderId/advance',
    {
      onRequest: sandboxOnly(isSandbox),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'advanceTestOrder',
        problems: [httpProblems.not_found, orderProblems.order_action_refused, orderProblems.payment_in_progress],
        tags: ['Orders'],
        summary: 'Simulate the next step of the shop for a test order',
        description:
          'Only where all orders are tests: with the embedded database and `PLATEN_PAYMENT_PROVIDER=test`, outside production; elsewhere 404. Runs the actions of operators, so statuses, timeline, events and webhooks are real. Without `step`, the usual next one. A step that is not possible is 409 `order_action_refused`.',
        params: OrderParams,
        body: AdvanceBody,
        response: { 200: OrderBody },
        ...{ 'x-test-mode': true },
      },
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

function sandboxOnly(isSandbox: boolean): Guard {
  const permission = 'orders:write'
  const guard = requireScope(permission)
  return defineGuard({ kind: 'scope', permission }, (request) => {
    if (!isSandbox) throw httpProblems.not_found()
    return guard.check(request)
  })
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
