import { setTimeout as pause } from 'node:timers/promises'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { DatabasePool } from '../../platform/db/index.ts'
import { keepLease } from '../../platform/db/locking/leases.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { statusAt } from '../state.ts'
import { type Design, readDesign } from '../store.ts'
import type { FinalizationPlan } from './begin-finalization.ts'
import { renewLease } from './store.ts'

/**
 * How long a design stays `finalizing` after its process was killed. Together with the interval between two polls this
 * is less than 10 s. A running process extends its lease long before it expires.
 */
export const LEASE_SECONDS = 8
/**
 * Lease for a finalization by a job, which may have to wait first. A job that starts after this time can still use its
 * expired lease, unless another request has leased the design in the meantime.
 */
export const QUEUED_LEASE_SECONDS = 120

const EXTEND_EVERY_MS = 1_000

interface LeaseDeps {
  database: DatabasePool
  clock: Clock
  log: Log
}

/** Extends a lease repeatedly until the returned function is called. */
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

/** Waits until the lease of a design has ended, or until the deadline (by `performance.now()`). */
export async function untilLeaseEnds({ database, clock }: LeaseDeps, seen: Design, deadlineMs: number): Promise<void> {
  // Most finalizations take a fraction of a second. For those that take longer, the interval grows.
  for (let waitMs = 25; performance.now() < deadlineMs; waitMs = Math.min(waitMs * 1.5, 500)) {
    await pause(waitMs)
    const design = await readDesign(database.reads, seen)
    if (design === undefined || design.leaseToken !== seen.leaseToken) return
    if (statusAt(design, clock.now()) !== 'finalizing') return
  }
}
