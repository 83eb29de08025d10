import type { Counter } from 'prom-client'
import type { Auth } from '../auth/index.ts'
import type { PersonalizationDeps, SheetDeps } from '../designs/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { DatabasePool, Db } from '../platform/db/index.ts'
import type { Principal } from '../platform/http/core/principal.ts'
import type { Log } from '../platform/log.ts'
import type { Storage, StorageQuota } from '../platform/storage/index.ts'
import type { OrderView } from './order/schemas.ts'
import type { Actor, OrderKey } from './order/store.ts'
import type { PaymentProvider } from './payments/providers/provider.ts'
import type { StripeConnection } from './payments/providers/stripe/connection.ts'
import type { ShopCharges } from './pricing/charges.ts'

/** What this feature is given. */
export interface OrderDeps {
  db: Db
  /** The pool below `db`, for prepared statements. */
  pool: DatabasePool['reads']
  clock: Clock
  log: Log
  storage: Storage
  quota: Pick<StorageQuota, 'unpaid'>
  /** For checking and drawing items with texts of their own. */
  designs: PersonalizationDeps
  /** For pick lists. */
  sheets: SheetDeps
  /** Counts items whose files could not be drawn in the end, by the failure. */
  failedItemFiles: Pick<Counter<'failure'>, 'inc'>
  /** Shipping and tax. */
  charges: ShopCharges
  recordAdminAct: Auth['recordAdminAct']
  /** Undefined: customers cannot pay here, operators record payments. */
  provider: PaymentProvider | undefined
  /** Through which nobody pays any more, but what was paid can be given back. */
  formerProviders: readonly PaymentProvider[]
  /** Undefined: this installation does not use Stripe. */
  stripe: StripeConnection | undefined
}

/** Who acts, for the timeline. */
export interface ActingPerson {
  by: Actor
  userId: string | null
}

/** What every action needs to know besides its order. */
export interface ActionContext {
  /** Actions ask for it when they hold the order: one that waited comes after those it waited for. */
  readonly now: Date
  actor: ActingPerson
  onlinePayment: boolean
}

export function contextFor(deps: Pick<OrderDeps, 'clock' | 'provider'>, actor: ActingPerson): ActionContext {
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
  return {
    operator: isOperator(principal),
    viewerId: principal.userId,
    onlinePayment: deps.provider !== undefined,
  }
}
