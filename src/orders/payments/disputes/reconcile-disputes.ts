import type { JobDefinition } from '../../../platform/jobs/jobs.ts'
import { contextFor } from '../../order/change/action-context.ts'
import { recordChange, requireLockedOrder } from '../../order/change/change-order.ts'
import { DISPUTE_END_TYPES, type DisputeEnd } from '../../order/disputes.ts'
import { scheduleCheck } from '../attempts/schedule-check.ts'
import type { PaymentAttempt } from '../attempts/store.ts'
import type { PaymentProvider } from '../providers/provider.ts'
import { listProviders, type PaymentDeps } from '../providers/providers.ts'
import { listDisputedCharges, listOpenDisputes } from './store.ts'

/** Records in the timeline that a dispute began or ended. The shop responds to it at the provider. */
export async function recordDispute(
  deps: PaymentDeps,
  { orderId }: PaymentAttempt,
  { dispute, end }: { dispute: string; end: DisputeEnd | null },
): Promise<void> {
  const change = end === null ? 'payment.disputed' : DISPUTE_END_TYPES[end]
  const context = contextFor(deps, { by: 'system', userId: null })
  await deps.db.transaction().execute(async (trx) => {
    const { timeline } = await requireLockedOrder(trx, { id: orderId })
    const isNoted = timeline.some(({ type, reason }) => type === change && reason === dispute)
    if (!isNoted) await recordChange(trx, context, orderId, [{ type: change, reason: dispute }])
  })
}

/**
 * Records the ends of open disputes that the provider lists as ended. The message about an end may never arrive, such as
 * after days in which the service could not receive messages.
 */
export async function reconcileDisputes(
  deps: PaymentDeps,
  provider: PaymentProvider,
  attempt: PaymentAttempt,
): Promise<void> {
  const open = await listOpenDisputes(deps.db, attempt.orderId)
  if (open.length === 0) return
  for (const { reference: dispute, end } of await provider.listDisputes(attempt)) {
    if (end !== null && open.includes(dispute)) await recordDispute(deps, attempt, { dispute, end })
  }
}

/** Checks the payments of all orders with an open dispute once a day. */
export function checkDisputesJob(deps: PaymentDeps): JobDefinition {
  return {
    name: 'orders.check_disputes',
    cron: '47 4 * * *',
    handle: async () => {
      for (const charge of await listDisputedCharges(deps.db, listProviders(deps))) {
        await scheduleCheck(deps.db, charge)
      }
    },
  }
}
