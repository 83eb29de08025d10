import { type Principal, principalOf } from '../../../platform/http/core/principal.ts'
import { httpProblems } from '../../../platform/http/core/problems.ts'
import { type ConditionalRequest, isExpectedVersion } from '../../../platform/http/responses/etag.ts'
import { presentOrder } from '../bodies/present-orders.ts'
import type { OrderBody } from '../bodies/schemas.ts'
import type { OrderKey } from '../store.ts'
import { type ActionDeps, viewFor } from './action-context.ts'

export function etagOf({ revision }: Pick<OrderBody, 'revision'>): string {
  return `"${revision}"`
}

/** Sets the `ETag` of an order in a response, also in the stored response to a repeated request. */
export function withETag(reply: { header(name: string, value: string): unknown }, body: OrderBody): OrderBody {
  reply.header('ETag', etagOf(body))
  return body
}

/**
 * Adds to the key of an order the condition that `If-Match` states. The action verifies it while the order is locked.
 * The problem `precondition_failed` contains the present order, so that the client can show what has changed.
 */
export function keyToChange(
  request: ConditionalRequest & { principal: Principal | undefined },
  deps: Pick<ActionDeps, 'provider'>,
  key: Pick<OrderKey, 'id' | 'ownerId'>,
): OrderKey {
  return {
    ...key,
    requireVersion: async (trx, order) => {
      if (isExpectedVersion(request, etagOf(order))) return
      throw httpProblems.precondition_failed({
        headers: { ETag: etagOf(order) },
        members: { order: await presentOrder(trx, order, viewFor(deps, principalOf(request))) },
      })
    },
  }
}
