import type { Principal } from '../../platform/http/principal.ts'
import type { ActionDeps } from './action-context.ts'
import type { OrderView } from './schemas.ts'
import type { OrderKey } from './store.ts'

/** Administrators may do what operators may. */
function isOperator(principal: Principal): boolean {
  return principal.role !== 'customer'
}

/** The role in which a caller acts on an order. */
export function actorFor(principal: Principal): 'customer' | 'operator' {
  return isOperator(principal) ? 'operator' : 'customer'
}

/** Customers can reach their own orders, operators all orders. */
export function orderKey(principal: Principal, id: string): OrderKey {
  return isOperator(principal) ? { id } : { id, ownerId: principal.userId }
}

export function viewFor({ provider }: Pick<ActionDeps, 'provider'>, principal: Principal): OrderView {
  return { operator: isOperator(principal), viewerId: principal.userId, onlinePayment: provider !== undefined }
}
