/**
 * Maximum time from the signal to the end of the process. It is less than the 30 s that Kubernetes allows by default.
 * Requests, streams and jobs get this time minus the shutdown delay and `CLOSE_REST_MS`.
 */
export const STOP_MS = 29_000

export interface StopReason {
  message: string
  code: number
  /**
   * Whether a signal requested the stop. Otherwise the database is lost, so that the service cannot serve requests
   * during the shutdown delay.
   */
  isAsked: boolean
}

/**
 * A second signal within this time counts as the same signal, because npm forwards the signal that the whole process
 * group has already received.
 */
const SAME_SIGNAL_MS = 1_000

/** Returns a promise that resolves at the first signal to stop. A second signal ends the process at once. */
export function onStopSignal(): Promise<StopReason> {
  const { promise, resolve } = Promise.withResolvers<StopReason>()
  let firstAt: number | undefined
  const stop = (): void => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(130)
    resolve({ message: 'Stopping: finishing requests and jobs in progress.', code: 0, isAsked: true })
    // Ends the process if its shutdown or its start hangs. The next start cleans up.
    setTimeout(() => process.exit(0), STOP_MS).unref()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // SIGHUP means that the terminal was closed. Without this handler, the process would end without stopping PostgreSQL.
  process.on('SIGHUP', stop)
  stopWithStarter(stop)
  return promise
}

/** Stops the service when the process that restarts it has ended. See `scripts/start.ts`. */
function stopWithStarter(stop: () => void): void {
  if (process.channel === undefined) return
  process.once('disconnect', stop)
  process.channel?.unref()
}
