const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Returns a signal that is aborted by Ctrl-C and the like, so that a command can end cleanly. */
export function stopOnSignal(): { signal: AbortSignal; dispose: () => void } {
  const controller = new AbortController()
  const stop = () => controller.abort()
  for (const name of SIGNALS) process.on(name, stop)
  const dispose = () => {
    for (const name of SIGNALS) process.off(name, stop)
  }
  return { signal: controller.signal, dispose }
}
