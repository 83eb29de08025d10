import pLimit from 'p-limit'
import { isShareOfVisitors, shareOf } from '../../platform/fair-share.ts'

/** The queue forgets shares that have used less than others, which then count as never served. */
const MAX_REMEMBERED = 200

/** After this time, half of the time that a share has used is forgotten. */
const HALF_LIFE_MS = 5 * 60_000

/** What decides which customer is next. Shares are those of `shareOf`: guests of one network have one together. */
export interface Turn {
  /** Shares that have used time lately, the one with the least first. */
  served: readonly string[]
  /** Shares with work in progress. */
  busy: readonly string[]
  /** Whether a guest has work in progress. */
  areGuestsBusy: boolean
}

/**
 * Fair queuing of customers: those who have used more time queue behind those who have used less. Guests of one network
 * count as one customer, because a client may open any number of guests.
 */
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
  let used: { share: string; ms: number }[] = []
  let at = nowMs()
  const forget = (): void => {
    const now = nowMs()
    const left = 0.5 ** ((now - at) / HALF_LIFE_MS)
    at = now
    used = used.map(({ share, ms }) => ({ share, ms: ms * left }))
  }
  return {
    take: (claim) =>
      oneAtATime(async () => {
        const served = used.map(({ share }) => share)
        const work = await claim({ served, busy: [...busy], areGuestsBusy: [...busy].some(isShareOfVisitors) })
        if (work !== undefined) busy.add(shareOf(work.ownerId))
        return work
      }),
    end: (ownerId, usedMs) => {
      const share = shareOf(ownerId)
      busy.delete(share)
      forget()
      const before = used.find((one) => one.share === share)?.ms ?? 0
      const others = used.filter((one) => one.share !== share)
      used = [...others, { share, ms: before + usedMs }].sort((a, b) => a.ms - b.ms).slice(-MAX_REMEMBERED)
    },
  }
}
