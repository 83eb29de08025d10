import type { Trx } from '../../platform/db/index.ts'
import { defineJob, type JobDefinition } from '../../platform/jobs.ts'
import { contextFor, type OrderDeps } from '../context.ts'
import { cancelOrder } from '../order/cancel-order.ts'
import { requireLockedOrder } from '../order/change-order.ts'
import { listUnpaid } from './store.ts'

const cancelJob = defineJob<{ ownerId: string }>('orders.cancel_unpaid', ['cancel-unpaid-orders'])

/** Has the unpaid orders of a deleted account cancelled: nobody is left who would pay. */
export async function cancelUnpaidSoon(trx: Trx, ownerId: string): Promise<void> {
  await cancelJob.enqueue(trx, { ownerId }, { key: `${cancelJob.name}/${ownerId}` })
}

export function cancelUnpaidJob(deps: OrderDeps): JobDefinition {
  return cancelJob.handledBy(({ ownerId }) => cancelUnpaid(deps, ownerId))
}

/**
 * Cancels the unpaid orders of a person, each by itself.
 *
 * @throws in the end, `payment_in_progress` for instance, when one could not be cancelled yet
 */
export async function cancelUnpaid(deps: Pick<OrderDeps, 'db' | 'clock' | 'provider'>, ownerId: string): Promise<void> {
  const failures: unknown[] = []
  for (const id of await listUnpaid(deps.db, ownerId)) {
    const cancelled = deps.db.transaction().execute(async (trx) => {
      // It may have been paid while this waited for it.
      const { status } = await requireLockedOrder(trx, { id })
      if (status !== 'awaiting_payment') return
      await cancelOrder(trx, contextFor(deps, { by: 'system', userId: null }), { id }, undefined)
    })
    await cancelled.catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}
