import type { Counter } from 'prom-client'
import type { PersonalizationDeps } from '../designs/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { DatabasePool, Db } from '../platform/db/index.ts'
import type { Principal } from '../platform/http/principal.ts'
import type { Log } from '../platform/log.ts'
import type { Storage } from '../platform/storage/index.ts'
import type { OrderView } from './order/schemas.ts'
import type { Actor, OrderKey } from './order/store.ts'
import type { PaymentProvider } from './payments/provider.ts'

/** What this feature is given. */
export interface OrderDeps {
  db: Db
  /** The pool below `db`, for prepared statements. */
  pool: DatabasePool['pool']
  clock: Clock
  log: Log
  storage: Storage
  /** For checking and drawing items with texts of their own. */
  designs: PersonalizationDeps
  /** Counts items whose files could not be drawn in the end, by the failure. */
  failedItemFiles: Pick<Counter<'failure'>, 'inc'>
  /** Undefined: customers cannot pay here, operators record payments. */
  provider: PaymentProvider | undefined
}

/** Who acts, for the timeline. */
export interface ActingPerson {
  by: Actor
  userId: string | null
}

/** What every action needs to know besides its order. */
export interface ActionContext {
  now: Date
  actor: ActingPerson
  onlinePayment: boolean
}

export function contextFor(deps: OrderDeps, actor: ActingPerson): ActionContext {
  return { now: deps.clock.now(), actor, onlinePayment: deps.provider !== undefined }
}

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

export function viewFor(deps: OrderDeps, principal: Principal): OrderView {
  return { operator: isOperator(principal), onlinePayment: deps.provider !== undefined }
}
