import type { Db, Trx } from '../../platform/db/index.ts'
import { defineJob, type JobDefinition } from '../../platform/jobs/jobs.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { type ActionDeps, contextFor } from '../order/change/action-context.ts'
import { requireLockedOrder } from '../order/change/change-order.ts'
import { listUnpaid } from '../order/store.ts'
import { cancelOrder } from './cancel-order.ts'

interface Slice {
  ownerId: string
  /** The last order of the slice before. */
  after?: string
}

const cancelJob = defineJob<Slice>('orders.cancel_unpaid', ['cancel-unpaid-orders'])

/**
 * Orders that one job cancels. Another job cancels the next ones, so that accounts take turns. These jobs run one after
 * another, because otherwise some accounts with many orders would take the places of all jobs.
 */
const CANCELLED_AT_ONCE = 200

/** Enqueues the cancellation of the unpaid orders of a deleted account. The owner can no longer pay for them. */
export async function cancelUnpaidSoon(db: Db | Trx, slice: Slice): Promise<void> {
  const { ownerId, after = 'first' } = slice
  await cancelJob.enqueue(db, slice, { key: `${cancelJob.name}/${ownerId}/${after}`, queue: cancelJob.name })
}

export type CancelUnpaidDeps = ActionDeps & { storage: Pick<Storage, 'requireFree'> }

export function cancelUnpaidJob(deps: CancelUnpaidDeps): JobDefinition {
  return cancelJob.handledBy((slice) => cancelUnpaid(deps, slice))
}

/**
 * Cancels some unpaid orders of an account, each in a transaction of its own, and enqueues a job for the next ones. An
 * error does not prevent the cancellation of the other orders. Each cancellation adds an event with the whole order, so
 * they wait for free disk space.
 *
 * @throws the first error, after the service has tried to cancel every order; for example `payment_in_progress`
 * @throws `storage_unavailable`, before the remaining orders
 */
export async function cancelUnpaid(
  deps: CancelUnpaidDeps,
  { ownerId, after }: Slice,
  limit = CANCELLED_AT_ONCE,
): Promise<void> {
  const failures: unknown[] = []
  const ids = await listUnpaid(deps.db, ownerId, { after, limit })
  for (const id of ids) {
    await deps.storage.requireFree({ enough: 0.5 })
    const cancelled = deps.db.transaction().execute(async (trx) => {
      // The order may have been paid while this transaction waited for the lock.
      const { status } = await requireLockedOrder(trx, { id })
      if (status !== 'awaiting_payment') return
      await cancelOrder(trx, contextFor(deps, { by: 'system', userId: null }), { id }, undefined)
    })
    await cancelled.catch((error: unknown) => failures.push(error))
  }
  const last = ids[limit - 1]
  if (last !== undefined) await cancelUnpaidSoon(deps.db, { ownerId, after: last })
  if (failures.length > 0) throw failures[0]
}
