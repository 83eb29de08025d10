interface Run<Result> {
  outcome: Promise<Result>
  /** When it ended, on the clock of `performance.now()`; undefined while it runs. */
  endedAt: number | undefined
}

/**
 * Runs an asynchronous check at most once at a time, and reuses its outcome for a while. Every caller gets the outcome,
 * a rejection included.
 *
 * @param reuseMs how long after its end an outcome is reused
 */
export function reuseBriefly<Result>(check: () => Promise<Result>, reuseMs: number): () => Promise<Result> {
  let last: Run<Result> | undefined
  return () => {
    const isUsable = last !== undefined && (last.endedAt === undefined || performance.now() - last.endedAt <= reuseMs)
    if (last !== undefined && isUsable) return last.outcome
    const current: Run<Result> = { outcome: check(), endedAt: undefined }
    last = current
    const end = (): void => {
      current.endedAt = performance.now()
    }
    // Callers handle the rejection.
    current.outcome.then(end, end)
    return current.outcome
  }
}
