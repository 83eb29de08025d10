import type { Counter } from 'prom-client'
import type { SealedBox } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'
import type { EventFeed } from '../platform/outbox/index.ts'
import type { Sender } from './transport/index.ts'

export interface WebhookDeps {
  db: Db
  clock: Clock
  log: Log
  feed: EventFeed
  /** All event types, as the features declare them. */
  eventTypes: readonly string[]
  sender: Sender
  /** Whether more disk space is free than the minimum; see `FreeDisk`. */
  hasFreeDisk: () => Promise<boolean>
  /** Encrypts the secrets of endpoints. */
  box: SealedBox
  attempts: Counter<'outcome'>
  /** The running engine of this process; undefined before `startWebhooks` and after it stops. */
  engine: WebhookEngine | undefined
}

/** What a request tells the engine of this process. Engines of other processes notice changes within seconds. */
export interface WebhookEngine {
  /** Looks for due deliveries of this endpoint (undefined: of all) at once instead of with the next poll. */
  wake(endpointId?: string): void
  /**
   * Returns claimed deliveries of a changed endpoint unless their request has started: they are read again with the new
   * URL and secret.
   */
  recall(endpointId: string): void
  /** Waits some seconds for running requests, then returns all other claims. */
  stop(): Promise<void>
}
