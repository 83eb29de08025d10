import type { Counter } from 'prom-client'
import type { SealedBox } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import type { EventFeed } from '../platform/outbox/index.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { HiddenEvents } from './hidden-events.ts'
import type { Sender } from './transport/index.ts'

export interface WebhookDeps {
  db: Db
  clock: Clock
  log: Log
  feed: EventFeed
  /** All event types, as the features declare them. */
  eventTypes: readonly string[]
  /** The events that staff may not see. */
  hiddenEvents: HiddenEvents
  sender: Sender
  /** Returns whether more disk space is free than the required minimum; see `FreeDisk`. */
  hasFreeDisk: () => Promise<boolean>
  /** Encrypts and decrypts the secrets of endpoints. */
  box: SealedBox
  attempts: Counter<'outcome'>
  /**
   * The engine that sends webhooks in this process. Undefined before `startWebhooks` is called and after the engine has
   * stopped.
   */
  engine: WebhookEngine | undefined
}

/**
 * What request handlers need of the engine in the same process. The engines of other processes notice changes in the
 * database within seconds.
 */
export interface WebhookEngine {
  /**
   * Looks for due deliveries of an endpoint now, before the next poll. If the id is undefined, it looks for those of
   * all endpoints.
   */
  wake(endpointId?: string): void
  /**
   * Call it after an endpoint was changed. Deliveries that this process has claimed for the endpoint, but not begun to
   * send, are returned to the queue and read again, with the new URL and secret.
   */
  recall(endpointId: string): void
  /** Waits some seconds for running requests. Then it returns the other claimed deliveries to the queue. */
  stop(): Promise<void>
}
