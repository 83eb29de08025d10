import { runForAll } from './request-context.ts'

interface Run<Result> {
  outcome: Promise<Result>
  /** When the run ended, on the clock of `performance.now()`. Undefined while it runs. */
  endedAt: number | undefined
}

/**
 * Returns a function that runs an asynchronous check at most once at a time and reuses its outcome for some time. Every
 * caller gets the outcome, including a rejection.
 *
 * @param reuseMs how long an outcome is reused after the check has ended
 */
export function reuseBriefly<Result>(check: () => Promise<Result>, reuseMs: number): () => Promise<Result> {
  let last: Run<Result> | undefined
  return () => {
    const isUsable = last !== undefined && (last.endedAt === undefined || performance.now() - last.endedAt <= reuseMs)
    if (last !== undefined && isUsable) return last.outcome
    const current: Run<Result> = { outcome: runForAll(check), endedAt: undefined }
    last = current
    const end = (): void => {
      current.endedAt = performance.now()
    }
    // Callers handle the rejection, so this chain must not reject.
    current.outcome.then(end, end)
    return current.outcome
  }
}
