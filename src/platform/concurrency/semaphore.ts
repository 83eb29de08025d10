import pLimit from 'p-limit'
import pTimeout from 'p-timeout'

/** Limits parallel work. Further work waits in order of arrival. */
export interface Semaphore {
  /** Runs work as soon as there is a permit for it. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * Waits for a permit.
   *
   * @returns a function that returns the permit; a second call changes nothing
   * @throws {SemaphoreTimeout} if there is no permit within the time
   */
  acquire(timeoutMs: number): Promise<() => void>
}

export class SemaphoreTimeout extends Error {
  override readonly name = 'SemaphoreTimeout'
}

export interface WaitingLimit {
  /** How much work may wait. */
  max: number
  /** The error for work beyond that. */
  whenFull: () => Error
}

export function createSemaphore(permits: number, waiting?: WaitingLimit): Semaphore {
  const limit = pLimit(permits)
  return {
    run: async (work) => {
      if (waiting !== undefined && limit.pendingCount >= waiting.max) throw waiting.whenFull()
      return limit(work)
    },
    acquire: (timeoutMs) => {
      const granted = Promise.withResolvers<() => void>()
      let isLate = false
      limit(async () => {
        // p-limit cannot remove waiting work. Late work ends at once.
        if (isLate) return
        const held = Promise.withResolvers<void>()
        granted.resolve(held.resolve)
        await held.promise
      })
      const fallback = (): never => {
        isLate = true
        throw new SemaphoreTimeout(`no permit within ${timeoutMs} ms`)
      }
      return pTimeout(granted.promise, { milliseconds: timeoutMs, fallback })
    },
  }
}

/** A semaphore for each key, which exists while work uses it. */
export interface KeyedSemaphore {
  /** @param waiting how much work of this key may wait, if not as much as of others */
  run<Result>(key: string, permits: number, work: () => Promise<Result>, waiting?: WaitingLimit): Promise<Result>
}

export function createKeyedSemaphore(waiting: WaitingLimit): KeyedSemaphore {
  const entries = new Map<string, { semaphore: Semaphore; users: number }>()
  return {
    run: async (key, permits, work, limit = waiting) => {
      const entry = entries.get(key) ?? { semaphore: createSemaphore(permits, limit), users: 0 }
      entries.set(key, entry)
      entry.users += 1
      try {
        return await entry.semaphore.run(work)
      } finally {
        entry.users -= 1
        if (entry.users === 0) entries.delete(key)
      }
    },
  }
}
