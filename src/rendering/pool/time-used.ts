import { LRUCache } from 'lru-cache'

/** After this time, the processing time of an owner counts half. */
const HALF_LIFE_MS = 60_000

/** For how long a long job of an owner is remembered. With a short time, a few owners could hold up others repeatedly. */
const LONG_JOB_MS = 10 * 60_000

const REMEMBERED_OWNERS = 10_000

/** How much processing time each owner used recently. */
export interface TimeUsed {
  /** Adds a job that has ended. `isLong` tells whether other owners had to wait for it. */
  add(owner: string, job: { ms: number; isLong: boolean }): void
  /** The time of recent jobs in milliseconds, with less weight the longer ago they ended. */
  of(owner: string): number
  /** Whether jobs of this owner have ended, and none of the last ten minutes was long. */
  isTrusted(owner: string): boolean
  /** Whether a job of the last ten minutes was long. */
  hadLongJob(owner: string): boolean
}

interface Recorded {
  ms: number
  at: number
  longUntil: number
}

export function createTimeUsed(now: () => number): TimeUsed {
  const used = new LRUCache<string, Recorded>({ max: REMEMBERED_OWNERS })
  const of = (owner: string): number => {
    const recorded = used.get(owner)
    return recorded === undefined ? 0 : recorded.ms * 2 ** ((recorded.at - now()) / HALF_LIFE_MS)
  }
  return {
    add: (owner, { ms, isLong }) => {
      const longUntil = isLong ? now() + LONG_JOB_MS : (used.get(owner)?.longUntil ?? 0)
      used.set(owner, { ms: of(owner) + ms, at: now(), longUntil })
    },
    of,
    isTrusted: (owner) => (used.get(owner)?.longUntil ?? Number.POSITIVE_INFINITY) <= now(),
    hadLongJob: (owner) => (used.get(owner)?.longUntil ?? 0) > now(),
  }
}
