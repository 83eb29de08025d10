import type { Principal } from '../../platform/http/principal.ts'
import type { ActionDeps } from './action-context.ts'
import type { OrderView } from './schemas.ts'
import type { OrderKey } from './store.ts'

/** Administrators may do all an operator may. */
function isOperator(principal: Principal): boolean {
  return principal.role !== 'customer'
}

/** In which role someone acts on an order that may be theirs or a customer's. */
export function actorFor(principal: Principal): 'customer' | 'operator' {
  return isOperator(principal) ? 'operator' : 'customer'
}

/** The orders a caller may reach: customers their own, operators every one. */
export function orderKey(principal: Principal, id: string): OrderKey {
  return isOperator(principal) ? { id } : { id, ownerId: principal.userId }
}

export function viewFor({ provider }: Pick<ActionDeps, 'provider'>, principal: Principal): OrderView {
  return { operator: isOperator(principal), viewerId: principal.userId, onlinePayment: provider !== undefined }
}
