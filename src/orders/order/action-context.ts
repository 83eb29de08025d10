import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Actor } from './order.ts'

export interface ActionDeps {
  db: Db
  clock: Clock
  /** Provider that takes payments. Undefined: operators record payments. */
  provider: object | undefined
}

/** The user who acts, for the timeline. `userId` is null for the command line and for jobs. */
export interface ActingUser {
  by: Actor
  userId: string | null
}

export interface ActionContext {
  /**
   * Read first after the order is locked, so that an action that waited gets a later timestamp than those before it.
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
