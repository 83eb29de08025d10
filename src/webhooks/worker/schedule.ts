/** Delays after the first, second, ... failed attempt. After one more failure the delivery has failed. */
const RETRY_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const

/** Retries come up to this share later, so that deliveries that failed together are not retried together. */
const JITTER = 0.1

const MAX_RETRY_AFTER_SECONDS = 86_400

/**
 * The delay before the next attempt.
 *
 * @param tries attempts so far
 * @returns seconds; undefined after the last attempt
 */
export function retryDelay(tries: number, random: () => number = Math.random): number | undefined {
  const seconds = RETRY_SECONDS[tries - 1]
  return seconds === undefined ? undefined : seconds * (1 + JITTER * random())
}

/** After more failures in a row an endpoint gets fewer requests than its deliveries' schedules allow. */
const FAILURES_BEFORE_PAUSE = 5
const MAX_PAUSE_SECONDS = 60

/** How long an endpoint is paused, in seconds. */
export function pauseAfter(failures: number): number {
  if (failures < FAILURES_BEFORE_PAUSE) return 0
  return Math.min(MAX_PAUSE_SECONDS, 2 ** Math.min(10, failures - FAILURES_BEFORE_PAUSE))
}

/** An endpoint that accepted nothing for so long is disabled. */
export const FAILING_SECONDS = 5 * 86_400

/** Parses the `Retry-After` of a 429 or 503 (RFC 9110, section 10.2.3): seconds, at most a day; 0 if there is none. */
export function retryAfter(status: number, header: string | undefined, now: Date): number {
  if ((status !== 429 && status !== 503) || header === undefined) return 0
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000
  return Number.isNaN(seconds) ? 0 : Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(0, seconds))
}
