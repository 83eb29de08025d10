import type { Trx } from '../../platform/db/index.ts'
import { defineJob, type JobDefinition } from '../../platform/jobs.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { type ActionDeps, contextFor } from '../order/action-context.ts'
import { requireLockedOrder } from '../order/change-order.ts'
import { listUnpaid } from '../order/store.ts'
import { cancelOrder } from './cancel-order.ts'

const cancelJob = defineJob<{ ownerId: string }>('orders.cancel_unpaid', ['cancel-unpaid-orders'])

/** Enqueues the cancellation of the unpaid orders of a deleted account. The owner can no longer pay for them. */
export async function cancelUnpaidSoon(trx: Trx, ownerId: string): Promise<void> {
  await cancelJob.enqueue(trx, { ownerId }, { key: `${cancelJob.name}/${ownerId}` })
}

export type CancelUnpaidDeps = ActionDeps & { storage: Pick<Storage, 'requireFree'> }

export function cancelUnpaidJob(deps: CancelUnpaidDeps): JobDefinition {
  return cancelJob.handledBy(({ ownerId }) => cancelUnpaid(deps, ownerId))
}

/**
 * Cancels the unpaid orders of an account, each in a transaction of its own. An error does not prevent the cancellation
 * of the other orders. Each cancellation adds an event with the whole order, so they wait for free disk space.
 *
 * @throws the first error, after the service has tried to cancel every order; for example `payment_in_progress`
 * @throws `storage_unavailable`, before the remaining orders
 */
export async function cancelUnpaid(deps: CancelUnpaidDeps, ownerId: string): Promise<void> {
  const failures: unknown[] = []
  for (const id of await listUnpaid(deps.db, ownerId)) {
    await deps.storage.requireFree({ enough: 0.5 })
    const cancelled = deps.db.transaction().execute(async (trx) => {
      // The order may have been paid while this transaction waited for the lock.
      const { status } = await requireLockedOrder(trx, { id })
      if (status !== 'awaiting_payment') return
      await cancelOrder(trx, contextFor(deps, { by: 'system', userId: null }), { id }, undefined)
    })
    await cancelled.catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}
