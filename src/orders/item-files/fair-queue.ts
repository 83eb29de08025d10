import pLimit from 'p-limit'

/** The queue forgets customers who have used less than others, who then count as never served. */
const MAX_REMEMBERED = 200

/** After this time, half of the time that a customer has used is forgotten. */
const HALF_LIFE_MS = 5 * 60_000

/** What decides which customer is next. */
export interface Turn {
  /** Ids of customers who have used time lately, the one with the least first. */
  served: readonly string[]
  /** Ids of customers with work in progress. */
  busy: readonly string[]
}

/** Fair queuing of customers: those who have used more time queue behind those who have used less. */
export interface FairQueue {
  /**
   * Takes the next work, whose customer is busy until `end`. Calls wait for each other. Otherwise two of them could
   * take work of the same customer, and other customers would wait for both.
   *
   * @param claim returns undefined if there is no work
   */
  take<Work extends { ownerId: string }>(claim: (turn: Turn) => Promise<Work | undefined>): Promise<Work | undefined>
  end(ownerId: string, usedMs: number): void
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
  const oneAtATime = pLimit(1)
  const busy = new Set<string>()
  let used: { ownerId: string; ms: number }[] = []
  let at = nowMs()
  const forget = (): void => {
    const now = nowMs()
    const left = 0.5 ** ((now - at) / HALF_LIFE_MS)
    at = now
    used = used.map(({ ownerId, ms }) => ({ ownerId, ms: ms * left }))
  }
  return {
    take: (claim) =>
      oneAtATime(async () => {
        const work = await claim({ served: used.map(({ ownerId }) => ownerId), busy: [...busy] })
        if (work !== undefined) busy.add(work.ownerId)
        return work
      }),
    end: (ownerId, usedMs) => {
      busy.delete(ownerId)
      forget()
      const before = used.find((one) => one.ownerId === ownerId)?.ms ?? 0
      const others = used.filter((one) => one.ownerId !== ownerId)
      used = [...others, { ownerId, ms: before + usedMs }].sort((a, b) => a.ms - b.ms).slice(-MAX_REMEMBERED)
    },
  }
}
