import pTimeout from 'p-timeout'
import { RenderFailed } from '../errors.ts'

/** For how long, in milliseconds, the result of a job or check tells whether the pool works. */
const HOLDS_MS = 10_000
const PATIENCE_MS = 1_000
/**
 * How long a check may wait for busy or starting processes, in milliseconds. After this time, the pool counts as not
 * working.
 */
const OVERDUE_MS = 30_000

export interface SelfCheckOptions {
  /** Runs a trivial job of the pool before all waiting jobs. */
  run: () => Promise<unknown>
  lastDoneAt: () => number
  /** The clock that `lastDoneAt` uses, in milliseconds. */
  now?: () => number
}

/**
 * Creates a function that tells whether a pool works. If a job ended successfully in the last ten seconds, the pool
 * works. Otherwise the function runs a trivial job, at most once in ten seconds. While the trivial job waits because
 * all processes are busy, the previous result holds. A pool that fails the trivial job, or cannot start processes, does
 * not work.
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

/**
 * Tells whether an error means that the pool is only busy. A closed pool, or a pool without processes, rejects with
 * `RenderFailed`.
 */
function isBusy(error: unknown): boolean {
  return !(error instanceof RenderFailed)
}
