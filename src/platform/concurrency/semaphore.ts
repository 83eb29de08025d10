import pLimit from 'p-limit'
import { createFairQueue } from './fair-queue.ts'

/** Limits parallel work. Waiting work starts in order of arrival. */
export interface Semaphore {
  /** Runs work as soon as a permit is free. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface WaitingLimit {
  /** Maximum number of pieces of work that can wait. */
  max: number
  /** Creates the error for work that exceeds the limit. */
  whenFull: () => Error
}

export function createSemaphore(permits: number, waiting?: WaitingLimit): Semaphore {
  const limit = pLimit(permits)
  return {
    run: async (work) => {
      if (waiting !== undefined && limit.pendingCount >= waiting.max) throw waiting.whenFull()
      return limit(work)
    },
  }
}

/** A semaphore for each key. A semaphore exists only while work uses it. */
export interface KeyedSemaphore {
  /** @param waiting limit of waiting work for this key. Default: the limit for all keys */
  run<Result>(key: string, permits: number, work: () => Promise<Result>, waiting?: WaitingLimit): Promise<Result>
}

export function createKeyedSemaphore(waiting?: WaitingLimit): KeyedSemaphore {
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

/**
 * A semaphore that serves owners in rotation. If one owner has much waiting work, another owner waits for only one
 * piece of it. If too much work waits, the last piece of the owner with the most waiting work is rejected.
 */
export interface FairSemaphore {
  run<Result>(owner: string | undefined, work: () => Promise<Result>): Promise<Result>
}

export interface FairSemaphoreOptions {
  waiting?: WaitingLimit
  /**
   * Owners whose work starts before that of others, apart from every fourth piece, and who have a further quarter of the
   * waiting places.
   */
  isPreferred?: (owner: string | undefined) => boolean
}

const PLACES_OF_PREFERRED = 0.25
/** The most pieces of preferred work in a row while other work waits. Otherwise one preferred owner could keep out all. */
const PREFERRED_IN_A_ROW = 3

export function createFairSemaphore(permits: number, options: FairSemaphoreOptions = {}): FairSemaphore {
  const { waiting: waitingLimit, isPreferred = () => false } = options
  const waiting = createFairQueue<{ owner: string | undefined; start: () => void; refuse: (why: Error) => void }>()
  let running = 0
  const makeRoomFor = (owner: string | undefined, { max, whenFull }: WaitingLimit): void => {
    const places = isPreferred(owner) ? max * (1 + PLACES_OF_PREFERRED) : max
    if (waiting.count() < places) return
    const last = waiting.lastOfLongest((one) => isPreferred(owner) || !isPreferred(one))
    if (last === undefined || waiting.countOf(last.owner) <= waiting.countOf(owner) + 1) throw whenFull()
    waiting.remove(last)
    last.refuse(whenFull())
  }
  let preferredInARow = 0
  const takeNext = () => {
    const isTurnOfOthers = preferredInARow >= PREFERRED_IN_A_ROW
    const next = waiting.take((owner) => (isPreferred(owner) === isTurnOfOthers ? 1 : 0))
    preferredInARow = next !== undefined && isPreferred(next.owner) ? preferredInARow + 1 : 0
    return next
  }
  return {
    run: async (owner, work) => {
      if (running < permits) running += 1
      else {
        if (waitingLimit !== undefined) makeRoomFor(owner, waitingLimit)
        // When work ends, its permit passes to the next waiting work.
        await new Promise<void>((start, refuse) => waiting.add({ owner, start, refuse }))
      }
      try {
        return await work()
      } finally {
        const next = takeNext()
        if (next === undefined) running -= 1
        else next.start()
      }
    },
  }
}
