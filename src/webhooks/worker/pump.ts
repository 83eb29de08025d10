import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../platform/log.ts'

/** While the database does not answer. */
const RETRY_AFTER_MS = 1_000

/** Runs one piece of work at a time, as often as it is asked to; asking twice while it runs means once more. */
export interface Pump {
  ask(): void
  /** Lets what runs end, which is asked no more. */
  stop(): Promise<void>
}

/** @param work tells whether to go on at once; one that fails is tried again after a second */
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
        // Said once, not every second for as long as the database is away.
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
      if (!signal.aborted) running ??= run()
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
