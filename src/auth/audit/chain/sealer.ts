import type { Db } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/log.ts'
import { sealEvents } from './seal.ts'

/** Long enough for the transaction of the event to commit, and to seal a burst of events together. */
const SEAL_AFTER_MS = 500

/** Seals new events in the background, so that no sign-in waits for the chain. */
export interface Sealer {
  /** Schedules sealing, for an event whose transaction will soon commit. */
  note(): void
  /** Seals the visible events, after waiting for another process that seals. */
  sealNow(): Promise<void>
  /** Seals the last events. Call it when no request is running. */
  close(): Promise<void>
}

export function createSealer({ db, log, key }: { db: Db; log: Log; key: Buffer }): Sealer {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let hasRecorded = false
  let isClosed = false

  const schedule = (): void => {
    if (timer !== undefined || isClosed) return
    timer = setTimeout(() => {
      timer = undefined
      running = running.then(() => seal(false))
    }, SEAL_AFTER_MS).unref()
  }

  /** Logs a failure and does not throw: the next run seals what this one did not. */
  const seal = async (wait: boolean): Promise<void> => {
    try {
      if (!(await sealEvents(db, key, { wait }))) schedule()
    } catch (error) {
      log.warn({ err: error }, 'security events were not sealed yet')
    }
  }

  return {
    note: () => {
      hasRecorded = true
      schedule()
    },
    sealNow: async () => {
      await sealEvents(db, key, { wait: true })
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await running
      if (hasRecorded) await seal(true)
      hasRecorded = false
    },
  }
}
