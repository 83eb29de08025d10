import type { Trx } from '../../../platform/db/index.ts'
import { principalOf } from '../../../platform/http/core/principal.ts'
import { type IdempotentRequest, idempotently } from '../../../platform/http/idempotency/idempotency.ts'
import { presentOrder } from '../bodies/present-orders.ts'
import type { OrderBody } from '../bodies/schemas.ts'
import type { Order } from '../store.ts'
import { type ActionContext, type ActionDeps, actingUser, contextFor, viewFor } from './action-context.ts'
import { withETag } from './if-match.ts'

/** Runs an action on an order in one transaction, and responds with the order. */
export async function respondWithOrder(
  deps: ActionDeps,
  request: IdempotentRequest,
  reply: Parameters<typeof idempotently>[2],
  by: 'customer' | 'operator',
  act: (trx: Trx, context: ActionContext) => Promise<Order>,
  status = 200,
): Promise<OrderBody> {
  const principal = principalOf(request)
  const body = await idempotently(deps, request, reply, async (trx) => {
    const order = await act(trx, contextFor(deps, actingUser(principal, by)))
    return { status, body: await presentOrder(trx, order, viewFor(deps, principal)) }
  })
  return withETag(reply, body)
}
