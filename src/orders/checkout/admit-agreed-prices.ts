import { type Auth, customerIdOf, insufficientRole, insufficientScope } from '../../auth/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import type { HttpRequest } from '../../platform/http/core/request.ts'
import type { ItemRequest } from '../pricing/items.ts'
import { orderProblems } from '../problems.ts'

type Items = readonly Pick<ItemRequest, 'agreedPrice'>[]

const countAgreed = (items: Items): number => items.filter(({ agreedPrice }) => agreedPrice !== undefined).length

/**
 * Admits agreed prices from operators who act for a customer and have `prices:write`. Items without agreed prices need
 * nothing.
 *
 * @throws `insufficient_role`, `agreed_price_needs_customer`, `insufficient_scope`
 */
export function admitAgreedPrices(request: HttpRequest, items: Items): void {
  if (countAgreed(items) === 0) return
  const principal = principalOf(request)
  if (principal.actorPermissions === undefined) {
    if (principal.role === 'customer') throw insufficientRole(principal, 'operator')
    throw orderProblems.agreed_price_needs_customer()
  }
  if (principal.actorPermissions.has('prices:write')) return
  throw insufficientScope('prices:write', 'Agreed prices need the permission `prices:write`.')
}

/** Records in the audit log who agreed on prices, in the transaction that stores them. */
export async function recordAgreedPrices(
  { recordAdminAct }: Pick<Auth, 'recordAdminAct'>,
  trx: Trx,
  request: HttpRequest,
  { items, ...record }: { items: Items } & ({ quote: string } | { order: string }),
): Promise<void> {
  const count = countAgreed(items)
  if (count === 0) return
  const customer = customerIdOf(principalOf(request).userId)
  await recordAdminAct(trx, request, { ...record, customer, items: count }, 'price_agreed')
}
