import pTimeout from 'p-timeout'
import { RenderFailed } from '../errors.ts'

/** How long a successful job or check counts. */
const HOLDS_MS = 10_000
const PATIENCE_MS = 1_000
/** How long a check may wait for busy or starting processes before the pool counts as not working. */
const OVERDUE_MS = 30_000

export interface SelfCheckOptions {
  /** Runs a trivial job of the pool before all waiting ones. */
  run: () => Promise<unknown>
  lastDoneAt: () => number
  /** The clock of `lastDoneAt`, in milliseconds. */
  now?: () => number
}

/**
 * Finds out whether a pool works, at most once in ten seconds: a recent successful job proves it, otherwise a trivial
 * job is run. While all processes are busy, the previous result holds until the check ends. A pool that fails the
 * trivial job, or cannot start processes, does not work.
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

/** A closed pool, or one without processes, rejects with `RenderFailed`, so it is not merely busy. */
function isBusy(error: unknown): boolean {
  return !(error instanceof RenderFailed)
}
