const FIRST_DELAY_MS = 300
const LONGEST_DELAY_MS = 8_000

/** A response that asks for a longer wait is an error, because no caller expects a request to take minutes. */
const LONGEST_RETRY_AFTER_MS = 60_000

const RETRIED_STATUSES = [429, 502, 503, 504]

/** With these statuses, the service states that it changed nothing. */
const NOTHING_CHANGED = [429, 503]

export interface Failure {
  /** Undefined if no response arrived. */
  status: number | undefined
  code: string | undefined
  headers: Headers | undefined
}

/** Tells whether another attempt may succeed, and is safe: it must not do again what an attempt may have done. */
export function isWorthRetrying(
  failure: Failure,
  request: { isRepeatable: boolean; hasKey: boolean; isConditional: boolean },
): boolean {
  const { status } = failure
  if (!request.isRepeatable && !request.hasKey) return false
  if (status !== undefined && !RETRIED_STATUSES.includes(status)) return false
  // After a lost success the tag is stale, so a repetition would fail although the operation is done.
  return !request.isConditional || (status !== undefined && NOTHING_CHANGED.includes(status))
}

/**
 * Returns the milliseconds to wait before the next attempt, or undefined if the service asks for too long a wait.
 * Waits are random, so that clients that failed together do not return together.
 */
export function delayBefore(attempt: number, headers: Headers | undefined): number | undefined {
  const jitter = 0.5 + Math.random() / 2
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS) * jitter
  const asked = retryAfterMs(headers?.get('retry-after'))
  if (asked === undefined) return backoff
  return asked > LONGEST_RETRY_AFTER_MS ? undefined : asked + FIRST_DELAY_MS * Math.random()
}

/** Reads `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3). */
export function retryAfterMs(value: string | null | undefined): number | undefined {
  if (value === null || value === undefined || value === '') return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
