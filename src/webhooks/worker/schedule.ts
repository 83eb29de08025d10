/** Pauses after attempts that failed, the first, the second and so on; after one more the delivery has failed. */
const RETRY_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const

/** All retries come that much later at most, so that what failed at one moment does not come back at one. */
const JITTER = 0.1

const MAX_RETRY_AFTER_SECONDS = 86_400

/**
 * When to try again.
 *
 * @param tries attempts so far
 * @returns seconds from now; undefined when that was the last one
 */
export function retryDelay(tries: number, random: () => number = Math.random): number | undefined {
  const seconds = RETRY_SECONDS[tries - 1]
  return seconds === undefined ? undefined : seconds * (1 + JITTER * random())
}

/** Failures in a row after which an endpoint is asked less often, whatever its deliveries' own schedules say. */
const FAILURES_BEFORE_PAUSE = 5
const MAX_PAUSE_SECONDS = 60

/** For how long nothing is sent to an endpoint after so many failures in a row. */
export function pauseAfter(failures: number): number {
  if (failures < FAILURES_BEFORE_PAUSE) return 0
  return Math.min(MAX_PAUSE_SECONDS, 2 ** Math.min(10, failures - FAILURES_BEFORE_PAUSE))
}

/** An endpoint that accepted nothing for so long is disabled. */
export const FAILING_SECONDS = 5 * 86_400

/** What a receiver that is busy asks for (RFC 9110, 10.2.3), in seconds, at most a day; 0 for nothing. */
export function retryAfter(status: number, header: string | undefined, now: Date): number {
  if ((status !== 429 && status !== 503) || header === undefined) return 0
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000
  return Number.isNaN(seconds) ? 0 : Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(0, seconds))
}
