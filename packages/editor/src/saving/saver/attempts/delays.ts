import type { SaveProblem } from '../../saving-types.ts'
import { retryAfterMs } from '../../to-problem.ts'

export interface Delays {
  /** From the last change to the save. */
  quietMs: number
  /** The longest time from a change to the save, while the customer goes on. */
  longestMs: number
  /** The first wait after a failure. It doubles with each further one. */
  retryMs: number
  longestRetryMs: number
  /** How often to look whether the page has signed in again. */
  signInMs: number
}

export const DELAYS: Delays = {
  quietMs: 800,
  longestMs: 3_000,
  retryMs: 1_000,
  longestRetryMs: 30_000,
  signInMs: 10_000,
}

/** `flush` waits for a service that asks for less. */
export const SHORT_WAIT_MS = 5_000

/**
 * Returns the milliseconds until the next attempt; undefined if no time alone helps.
 *
 * @param failures how many attempts have failed in a row, 1 after the first
 */
export function waitAfter(problem: SaveProblem, failures: number, delays: Delays): number | undefined {
  if (problem.behaviour === 'sign_in') return delays.signInMs
  if (problem.behaviour !== 'retry') return undefined
  const backoff = Math.min(delays.retryMs * 2 ** (failures - 1), delays.longestRetryMs)
  // Editors that failed together do not return together.
  const jitter = 0.75 + Math.random() / 2
  return Math.max(backoff * jitter, retryAfterMs(problem.error) ?? 0)
}
