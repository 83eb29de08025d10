const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A second signal within this time counts as the same signal, because npm forwards those of the process group. */
const SAME_SIGNAL_MS = 1_000

/**
 * Returns a signal that is aborted by Ctrl-C and the like, so that a command can end cleanly. A second Ctrl-C ends the
 * process at once.
 */
export function stopOnSignal(): { signal: AbortSignal; dispose: () => void } {
  const controller = new AbortController()
  let firstAt: number | undefined
  const stop = () => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(130)
    controller.abort()
  }
  for (const name of SIGNALS) process.on(name, stop)
  const dispose = () => {
    for (const name of SIGNALS) process.off(name, stop)
  }
  return { signal: controller.signal, dispose }
}
