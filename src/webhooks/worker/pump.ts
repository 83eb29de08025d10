import { setTimeout as delay } from 'node:timers/promises'
import { runForAll } from '../../platform/concurrency/request-context.ts'
import type { Log } from '../../platform/log.ts'

/** The delay after an error, typically while the database is down. */
const RETRY_AFTER_MS = 1_000

/** Runs one task at a time. `ask` starts it, or makes it run once more if it is running. */
export interface Pump {
  ask(): void
  /** Waits for the running task and starts no other. */
  stop(): Promise<void>
}

/** @param work returns whether to run again at once; after an error it runs again after a second */
export function createPump(log: Log, what: string, work: () => Promise<boolean>): Pump {
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Promise<void> | undefined
  let isAsked = false
  let isFailing = false

  const run = async (): Promise<void> => {
    while (isAsked && !signal.aborted) {
      isAsked = false
      try {
        if (await work()) isAsked = true
        isFailing = false
      } catch (error) {
        // Logged once as a warning, not every second while the database is down.
        log[isFailing ? 'debug' : 'warn']({ err: error }, `${what} failed; trying again`)
        isFailing = true
        isAsked = true
        await delay(RETRY_AFTER_MS, undefined, { signal }).catch(() => undefined)
      }
    }
    running = undefined
  }

  return {
    ask: () => {
      isAsked = true
      if (!signal.aborted) running ??= runForAll(run)
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
