import { setTimeout as delay } from 'node:timers/promises'
import { runForAll } from '../../platform/concurrency/request-context.ts'
import type { Log } from '../../platform/telemetry/log.ts'

/** Delay after an error. The usual cause is that the database is unavailable. */
const RETRY_AFTER_MS = 1_000

/**
 * Runs a task, never twice at the same time. `ask` starts the task. If it is running, `ask` makes it run once more
 * afterwards.
 */
export interface Pump {
  ask(): void
  /** Waits for the running task, and does not start it again. */
  stop(): Promise<void>
}

/**
 * Creates a pump.
 *
 * @param what name of the task for the log
 * @param work the task; it returns whether to run again at once. After an error it runs again after a second.
 */
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
        // Only the first of several failures is logged as a warning, because the task fails every second while the
        // database is unavailable.
        log[isFailing ? 'debug' : 'warn']({ err: error }, `${what} failed; retrying`)
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
