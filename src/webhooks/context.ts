import type { Counter } from 'prom-client'
import type { SealedBox } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'
import type { EventFeed } from '../platform/outbox/index.ts'
import type { Sender } from './transport/index.ts'

/** What the service gives this feature. */
export interface WebhookDeps {
  db: Db
  clock: Clock
  log: Log
  feed: EventFeed
  sender: Sender
  /** Whether more disk space is free than the minimum; see `FreeDisk`. */
  hasFreeDisk: () => Promise<boolean>
  /** Keeps the secrets that are signed with. */
  box: SealedBox
  attempts: Counter<'outcome'>
  /** What sends in this process, while something does. */
  engine: WebhookEngine | undefined
}

/** What has to be said to the part that sends. Other processes find out by themselves, within seconds. */
export interface WebhookEngine {
  /** There may be something new to send: an endpoint, or a delivery that somebody asked for. */
  wake(endpointId?: string): void
  /** An endpoint has changed: nothing that was not begun is sent to it as it was. */
  recall(endpointId: string): void
  /** Lets what is under way end for some seconds, and gives back the rest. */
  stop(): Promise<void>
}
