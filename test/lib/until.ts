import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'

/** The time is long, because other processes can take the processor from a test and its service for many seconds. */
export const PATIENCE_MS = 60_000
const STEP_MS = 10

/** Waits until a condition holds. Fails after a minute with what the test has waited for. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    assert.ok(performance.now() < end, `waited 60 s for: ${what}`)
    await delay(STEP_MS)
  }
}
