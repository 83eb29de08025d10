import pTimeout from 'p-timeout'
import { RenderFailed } from '../errors.ts'

/** A job that is done, or a check that passed, holds for so long. */
const HOLDS_MS = 10_000
/** How long a caller waits for a check. */
const PATIENCE_MS = 1_000
/** So long a check may wait for processes that are busy, or start, before they count as not working. */
const OVERDUE_MS = 30_000

export interface SelfCheckOptions {
  /** Does a trivial job of the pool, before all others that wait. */
  run: () => Promise<unknown>
  /** When a job of the pool last ended well. */
  lastDoneAt: () => number
  /** Milliseconds since any moment, as `lastDoneAt` has them. */
  now?: () => number
}

/**
 * Finds out whether a pool works, at most once in ten seconds however often it is asked: a job that ended well lately
 * says so, or else a trivial one is run. A pool whose processes are all busy is not asked in vain: until a check ends, the
 * last answer holds. One that fails the trivial job, or cannot start its processes, does not work.
 */
export function createSelfCheck({
  run,
  lastDoneAt,
  now = () => performance.now(),
}: SelfCheckOptions): () => Promise<boolean> {
  let verdict = { isWorking: true, at: Number.NEGATIVE_INFINITY }
  let running: { done: Promise<void>; since: number } | undefined

  const check = async () => {
    const isWorking = await run().then(() => true, isBusy)
    verdict = { isWorking, at: now() }
    running = undefined
  }

  return async () => {
    if (now() - lastDoneAt() < HOLDS_MS && (verdict.isWorking || verdict.at < lastDoneAt())) return true
    if (now() - verdict.at < HOLDS_MS) return verdict.isWorking
    running ??= { since: now(), done: check() }
    const { since } = running
    await pTimeout(running.done, { milliseconds: PATIENCE_MS, message: false })
    return running !== undefined && now() - since > OVERDUE_MS ? false : verdict.isWorking
  }
}

/** A closed pool, or one without processes, is not merely busy: it rejects with `RenderFailed`. */
function isBusy(error: unknown): boolean {
  return !(error instanceof RenderFailed)
}
