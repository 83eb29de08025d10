export interface ScheduleOptions {
  /** The time after the last change. */
  quietMs: number
  /** The time after the first change, during changes without a pause. */
  longestMs: number
  run(): void
}

export interface Schedule {
  /** Notes a change. */
  touch(): void
  /** Runs after the given time, and not earlier. */
  runIn(ms: number): void
  cancel(): void
}

/** Runs a function some time after changes. */
export function createSchedule({ quietMs, longestMs, run }: ScheduleOptions): Schedule {
  let timer: ReturnType<typeof setTimeout> | undefined
  let firstAt: number | undefined
  const cancel = (): void => {
    clearTimeout(timer)
    timer = undefined
    firstAt = undefined
  }
  const runIn = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      cancel()
      run()
    }, ms)
  }
  return {
    touch() {
      const now = performance.now()
      firstAt ??= now
      runIn(Math.max(0, Math.min(quietMs, firstAt + longestMs - now)))
    },
    runIn,
    cancel,
  }
}
