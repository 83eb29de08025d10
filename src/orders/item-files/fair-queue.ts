import pLimit from 'p-limit'
import { isShareOfVisitors } from '../../platform/fair-share.ts'

/** The queue forgets names that have used less than others, which then count as never served. */
const MAX_REMEMBERED = 200

/** After this time, half of the time that was used is forgotten. */
const HALF_LIFE_MS = 5 * 60_000

/**
 * How many runs render item files at once in a process. While slow items of some customers are rendered, the other runs
 * serve the others. A run waits for a rendering process, so there may be more runs than processors.
 */
export const DRAWING_RUNS = 4

/**
 * What decides which customer is next. Shares are those of `findShare`: visitors of one network, which are guests and new
 * customers, have one together.
 */
export interface Turn {
  /** Shares and customers that have used time lately, the one with the least first. */
  served: readonly string[]
  /** Shares with work in progress. */
  busy: readonly string[]
  /** Whether visitors have work in progress in all runs but one. */
  areVisitorsBusy: boolean
}

/** Whose work it is. */
interface Owned {
  ownerId: string
  share: string
}

/**
 * Fair queuing of customers: those who have used more time queue behind those who have used less. Visitors of one network
 * count as one customer, because a client may open any number of guests and accounts. They queue among themselves by the
 * same rule.
 */
export interface FairQueue {
  /**
   * Takes the next work, whose share is busy until `end`. Calls wait for each other. Otherwise two of them could take
   * work of the same share, and other customers would wait for both.
   *
   * @param claim returns undefined if there is no work
   */
  take<Work extends Owned>(claim: (turn: Turn) => Promise<Work | undefined>): Promise<Work | undefined>
  end(work: Owned, usedMs: number): void
}

/**
 * Creates the queue of one process. It outlives the runs of the job, so that each run continues where the last one
 * ended.
 *
 * It counts time instead of turns, because an item of one customer can take fifty times as long as an item of another.
 *
 * @param options `nowMs` is monotonic time in milliseconds
 */
export function createFairQueue({ runs = DRAWING_RUNS, nowMs = () => performance.now() } = {}): FairQueue {
  const oneAtATime = pLimit(1)
  const busy = new Set<string>()
  let used: { name: string; ms: number }[] = []
  let at = nowMs()
  const forget = (): void => {
    const now = nowMs()
    const left = 0.5 ** ((now - at) / HALF_LIFE_MS)
    at = now
    used = used.map(({ name, ms }) => ({ name, ms: ms * left }))
  }
  return {
    take: (claim) =>
      oneAtATime(async () => {
        const served = used.map(({ name }) => name)
        const visitors = [...busy].filter(isShareOfVisitors).length
        const work = await claim({ served, busy: [...busy], areVisitorsBusy: visitors >= Math.max(1, runs - 1) })
        if (work !== undefined) busy.add(work.share)
        return work
      }),
    end: ({ ownerId, share }, usedMs) => {
      busy.delete(share)
      forget()
      const names = [...new Set([share, ownerId])]
      const after = names.map((name) => ({ name, ms: usedMs + (used.find((one) => one.name === name)?.ms ?? 0) }))
      const others = used.filter(({ name }) => !names.includes(name))
      used = [...others, ...after].sort((a, b) => a.ms - b.ms).slice(-MAX_REMEMBERED)
    },
  }
}
