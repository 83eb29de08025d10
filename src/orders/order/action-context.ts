import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Actor } from './order.ts'

/** What most actions on orders need. */
export interface ActionDeps {
  db: Db
  clock: Clock
  /** Through which customers pay. Undefined: operators record payments. */
  provider: object | undefined
}

/** Who acts, for the timeline. */
export interface ActingUser {
  by: Actor
  userId: string | null
}

/** What every action needs to know besides its order. */
export interface ActionContext {
  /** Actions ask for it when they hold the order: one that waited comes after those it waited for. */
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
