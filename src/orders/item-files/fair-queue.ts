/** The queue forgets customers who have used less than others, who then count as never served. */
const MAX_REMEMBERED = 200

/** After this time, half of the time that a customer has used is forgotten. */
const HALF_LIFE_MS = 5 * 60_000

/** Fair queuing of customers: those who have used more time queue behind those who have used less. */
export interface FairQueue {
  /** Ids of customers who have used time lately, the one with the least first. */
  served(): readonly string[]
  recordServed(ownerId: string, usedMs: number): void
}

/**
 * Creates the queue of one process. It outlives the runs of the job, so that each run continues where the last one
 * ended.
 *
 * It counts time instead of turns, because an item of one customer can take fifty times as long as an item of another.
 *
 * @param nowMs monotonic time in milliseconds
 */
export function createFairQueue(nowMs = () => performance.now()): FairQueue {
  let used: { ownerId: string; ms: number }[] = []
  let at = nowMs()
  const forget = (): void => {
    const now = nowMs()
    const left = 0.5 ** ((now - at) / HALF_LIFE_MS)
    at = now
    used = used.map(({ ownerId, ms }) => ({ ownerId, ms: ms * left }))
  }
  return {
    served: () => used.map(({ ownerId }) => ownerId),
    recordServed: (ownerId, usedMs) => {
      forget()
      const before = used.find((one) => one.ownerId === ownerId)?.ms ?? 0
      const others = used.filter((one) => one.ownerId !== ownerId)
      used = [...others, { ownerId, ms: before + usedMs }].sort((a, b) => a.ms - b.ms).slice(-MAX_REMEMBERED)
    },
  }
}
