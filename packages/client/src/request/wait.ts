/** The longest time of a timer. Longer ones would end at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Waits. Rejects with the reason of the signal when it is aborted. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.min(ms, LONGEST_TIMER_MS),
    )
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Waits for work that several callers share. An aborted caller stops waiting, and the work continues for the others. */
export function share<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    // Work that fails must have a listener, even if every caller was aborted.
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
