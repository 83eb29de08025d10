import { setTimeout as delay } from 'node:timers/promises'
import { runForAll } from '../platform/concurrency/request-context.ts'
import { addMails } from './add-mails.ts'
import type { OrderMailDeps } from './context.ts'

/** How often a process looks for new events. Mails are not urgent, so one small query a second suffices. */
const LOOK_EVERY_MS = 1_000

/** While mails are off, the position only has to follow, so that switching them on causes no late mails. */
const SKIP_EVERY_MS = 60_000

export interface OrderMailEngine {
  stop(): Promise<void>
}

/** Reads new events until it is stopped. Several processes may do so on one database. */
export function startOrderMails(deps: OrderMailDeps): OrderMailEngine {
  const stopping = new AbortController()
  const { signal } = stopping
  const pauseMs = deps.config.orderMails ? LOOK_EVERY_MS : SKIP_EVERY_MS

  const run = async (): Promise<void> => {
    let isFailing = false
    while (!signal.aborted) {
      let hasMore = false
      try {
        hasMore = await addMails(deps)
        isFailing = false
      } catch (error) {
        // Only the first of several failures is a warning, because each attempt fails while the database is unavailable.
        deps.log[isFailing ? 'debug' : 'warn']({ err: error }, 'reading events for order mails failed; retrying')
        isFailing = true
      }
      if (!hasMore) await delay(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  const running = runForAll(run)
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
