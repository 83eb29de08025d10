import { permissionsOf } from '../../../auth/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { Principal } from '../../../platform/http/core/principal.ts'
import type { OrderView } from '../bodies/schemas.ts'
import type { ActingUser } from '../order.ts'
import type { OrderKey } from '../store.ts'

export interface ActionDeps {
  db: Db
  clock: Clock
  /** Provider that takes payments. Undefined: operators record payments. */
  provider: object | undefined
}

export interface ActionContext {
  /**
   * Read for the first time while the order is locked, so that an action that waited for the lock gets a later
   * timestamp.
   */
  readonly now: Date
  actor: ActingUser
  onlinePayment: boolean
}

export function contextFor(deps: Pick<ActionDeps, 'clock' | 'provider'>, actor: ActingUser): ActionContext {
  let now: Date | undefined
  return {
    get now() {
      now ??= deps.clock.now()
      return now
    },
    actor,
    onlinePayment: deps.provider !== undefined,
  }
}

/** Whether a caller may act as an operator. Administrators may do everything that operators may. */
function isOperator(principal: Principal): boolean {
  return principal.role !== 'customer'
}

/** The role in which a caller acts on an order. */
export function actorFor(principal: Principal): 'customer' | 'operator' {
  return isOperator(principal) ? 'operator' : 'customer'
}

/** The user who acts with a request. For a customer in whose name an operator acts, that is the operator. */
export function actingUser({ kind, userId, actorId, credentialId }: Principal, by: ActingUser['by']): ActingUser {
  return { by, userId: actorId ?? userId, keyId: kind === 'api_key' ? credentialId : null }
}

/** Customers can reach their own orders, operators all orders. */
export function orderKey(principal: Principal, id: string): OrderKey {
  return isOperator(principal) ? { id } : { id, ownerId: principal.userId }
}

export function viewFor({ provider }: Pick<ActionDeps, 'provider'>, principal: Principal): OrderView {
  const permissions = permissionsOf(principal)
  return {
    operator: isOperator(principal),
    viewerId: principal.userId,
    may: (permission) => permissions.has(permission),
    onlinePayment: provider !== undefined,
  }
}
