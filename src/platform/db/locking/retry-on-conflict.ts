import { setTimeout as delay } from 'node:timers/promises'

/** SQLSTATEs of a deadlock, of a failed serialization, and of a row that another transaction inserted first. */
const CONFLICTS = new Set(['40P01', '40001', '23505'])
const TRIES = 4
const LONGEST_PAUSE_MS = 100

/**
 * Runs a transaction that touches many rows of a user while requests of this user may change some of them. After a
 * conflict with one of these, it runs again, up to four times. `work` must have no effect besides its transaction.
 */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const { code } = (error ?? {}) as { code?: unknown }
      if (tries === TRIES || !CONFLICTS.has(String(code))) throw error
      // A random pause, so that two transactions that met once do not meet again.
      await delay(Math.random() * LONGEST_PAUSE_MS)
    }
  }
}
