import { runForAll } from '../../../platform/concurrency/request-context.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import { sealEvents } from './seal.ts'

/**
 * Long enough for the transaction of an event to commit, and for events that follow at once to be sealed in the same
 * batch.
 */
const SEAL_AFTER_MS = 500

/** Seals new events in the background, so that no sign-in waits for the lock of the chain. */
export interface Sealer {
  /** Schedules sealing after an event was recorded, whose transaction commits soon. */
  note(): void
  /** Seals all committed events. If another process is sealing, it waits for that process. */
  sealNow(): Promise<void>
  /** Seals the events that are still unsealed. Call it after the last request has ended. */
  close(): Promise<void>
}

export function createSealer({ db, log, keys }: { db: Db; log: Log; keys: KeyDerivation }): Sealer {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let hasRecorded = false
  let isClosed = false

  const schedule = (): void => {
    if (timer !== undefined || isClosed) return
    timer = setTimeout(() => {
      timer = undefined
      // Seals the events of all, and must not wait for the turn of the account whose request came first.
      running = runForAll(() => running.then(() => seal(false)))
    }, SEAL_AFTER_MS).unref()
  }

  /** Seals events. It logs a failure instead of throwing, because the next run seals what this run did not. */
  const seal = async (wait: boolean): Promise<void> => {
    try {
      if (!(await sealEvents(db, keys, { wait }))) schedule()
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
      await sealEvents(db, keys, { wait: true })
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
