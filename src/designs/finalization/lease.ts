import { setTimeout as pause } from 'node:timers/promises'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { DatabasePool } from '../../platform/db/index.ts'
import { keepLease } from '../../platform/db/leases.ts'
import type { Log } from '../../platform/log.ts'
import { statusAt } from '../state.ts'
import { type Design, readDesign } from '../store.ts'
import type { FinalizationPlan } from './begin-finalization.ts'
import { renewLease } from './store.ts'

/**
 * How long a design stays `finalizing` after its process was killed. Together with the wait between two looks at it, this
 * is less than 10 s. Holders extend their lease long before it ends.
 */
export const LEASE_SECONDS = 8
/** For work that a job will do: it may have to wait for its turn first. One that comes later still finds its lease, unless somebody took the design. */
export const QUEUED_LEASE_SECONDS = 120

const EXTEND_EVERY_MS = 1_000

interface LeaseDeps {
  database: DatabasePool
  clock: Clock
  log: Log
}

/** Extends a lease again and again, until the returned function is called. */
export function keepFinalizing({ database, clock, log }: LeaseDeps, { key, lease }: FinalizationPlan): () => void {
  return keepLease({
    everyMs: EXTEND_EVERY_MS,
    renew: () => {
      const until = addSeconds(clock.now(), LEASE_SECONDS)
      return renewLease(database.pool, { id: key.id, token: lease.token, until })
    },
    onError: (error) => log.warn({ err: error, designId: key.id }, 'a lease could not be extended'),
  })
}

/** Waits until the lease that a design was seen with has ended, one way or the other, or until the deadline (`performance.now()`). */
export async function untilLeaseEnds({ database, clock }: LeaseDeps, seen: Design, deadlineMs: number): Promise<void> {
  // Most finalizations take a fraction of a second; those that do not are asked about less often.
  for (let waitMs = 25; performance.now() < deadlineMs; waitMs = Math.min(waitMs * 1.5, 500)) {
    await pause(waitMs)
    const design = await readDesign(database.pool, seen)
    if (design === undefined || design.leaseToken !== seen.leaseToken) return
    if (statusAt(design, clock.now()) !== 'finalizing') return
  }
}
