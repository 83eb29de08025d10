/**
 * Delays in seconds after the first, second, third ... failed attempt. After the last delay, one more failed attempt
 * ends the delivery.
 */
const RETRY_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const

/**
 * Maximum share by which a delay is extended at random, so that deliveries that failed together are not retried
 * together.
 */
const JITTER = 0.1

const MAX_RETRY_AFTER_SECONDS = 86_400

/**
 * Returns the delay before the next attempt.
 *
 * @param tries number of attempts so far
 * @returns seconds; undefined if no further attempt follows
 */
export function retryDelay(tries: number, random: () => number = Math.random): number | undefined {
  const seconds = RETRY_SECONDS[tries - 1]
  return seconds === undefined ? undefined : seconds * (1 + JITTER * random())
}

/**
 * Number of failures in a row after which an endpoint is paused, so that it gets fewer requests than the schedules of
 * its deliveries allow.
 */
const FAILURES_BEFORE_PAUSE = 5
const MAX_PAUSE_SECONDS = 60

/** Returns for how many seconds an endpoint is paused after this number of failures in a row. */
export function pauseAfter(failures: number): number {
  if (failures < FAILURES_BEFORE_PAUSE) return 0
  return Math.min(MAX_PAUSE_SECONDS, 2 ** Math.min(10, failures - FAILURES_BEFORE_PAUSE))
}

/** Time without a success after which an endpoint is disabled. */
export const FAILING_SECONDS = 5 * 86_400

/**
 * Returns the seconds that the `Retry-After` of a response with status 429 or 503 requests, at most a day (RFC 9110,
 * section 10.2.3). Returns 0 if the response requests no delay.
 */
export function retryAfter(status: number, header: string | undefined, now: Date): number {
  if ((status !== 429 && status !== 503) || header === undefined) return 0
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000
  return Number.isNaN(seconds) ? 0 : Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(0, seconds))
}
