import pTimeout from 'p-timeout'
import type { Db } from '../../platform/db/index.ts'
import { type JobDefinition, limitRuns } from '../../platform/jobs/jobs.ts'
import { checkJob } from './attempts/schedule-check.ts'
import { releaseAbandonedAttempts } from './attempts/store.ts'
import { finishJob } from './attempts/supersede-attempt.ts'
import { checkDisputesJob } from './disputes/reconcile-disputes.ts'
import type { PaymentDeps } from './providers/providers.ts'
import { reconcileCharge, reconcilePayments } from './reconcile-attempts.ts'
import { releaseAbandonedRefunds } from './refunds/store.ts'

/** After this time a run starts no further payment, so that a provider that hangs does not occupy a job slot. */
const RUN_MS = 15_000

export function paymentJobs(deps: PaymentDeps): JobDefinition[] {
  const finish = limitRuns(
    1,
    async () => {
      await reconcilePayments(deps, AbortSignal.timeout(RUN_MS))
      return false
    },
    () => finishJob.enqueue(deps.db, {}, { key: finishJob.name }),
  )
  return [
    finishJob.handledBy((_, attempt) => untilStopped(finish(), attempt?.signal), {
      cron: '* * * * *',
      isSending: true,
    }),
    checkJob.handledBy((charge, attempt) => untilStopped(reconcileCharge(deps, charge), attempt?.signal), {
      isSending: true,
    }),
    checkDisputesJob(deps),
  ]
}

/**
 * Stops waiting for a provider when the service stops. Another process then continues the payment, as it does after a
 * kill.
 */
async function untilStopped(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work
  return pTimeout(work, { milliseconds: Number.POSITIVE_INFINITY, signal })
}

/**
 * Ends the leases of killed processes, so that abandoned payments continue at once. The caller must know that no other
 * process is running.
 */
export async function releaseAbandonedPayments(db: Db, at: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await releaseAbandonedAttempts(trx, at)
    await releaseAbandonedRefunds(trx, at)
    await finishJob.enqueue(trx, {}, { key: finishJob.name })
  })
}
