import type { Db } from '../../platform/db/index.ts'
import { enqueue, type JobDefinition, oneAtATime } from '../../platform/jobs.ts'
import { CHECK_JOB, type ChargeToCheck } from './attempts/schedule-check.ts'
import { releaseAbandonedAttempts } from './attempts/store.ts'
import { FINISH_JOB } from './attempts/supersede-attempt.ts'
import type { PaymentDeps } from './providers/providers.ts'
import { reconcileCharge, reconcilePayments } from './reconcile-attempts.ts'
import { releaseAbandonedRefunds } from './refunds/store.ts'

/** After this time a run starts nothing more, so that a provider that hangs does not occupy a job slot. */
const RUN_MS = 15_000

export function paymentJobs(deps: PaymentDeps): JobDefinition[] {
  const finish = oneAtATime(
    async () => {
      await reconcilePayments(deps, AbortSignal.timeout(RUN_MS))
      return false
    },
    () => enqueue(deps.db, FINISH_JOB, {}, { key: FINISH_JOB }),
  )
  return [
    { name: FINISH_JOB, cron: '* * * * *', handle: (_, attempt) => untilStopped(finish(), attempt?.signal) },
    {
      name: CHECK_JOB,
      handle: (payload, attempt) => untilStopped(reconcileCharge(deps, payload as ChargeToCheck), attempt?.signal),
    },
  ]
}

/** Stops waiting for a provider when the service stops. Another process continues the work, as after a kill. */
async function untilStopped(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work
  const stopped = Promise.withResolvers<never>()
  const stop = (): void => stopped.reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    await Promise.race([work, stopped.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Lets other processes continue abandoned payments at once. Only for a process that knows that no other is at work. */
export async function releaseAbandonedPayments(db: Db, at: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await releaseAbandonedAttempts(trx, at)
    await releaseAbandonedRefunds(trx, at)
    await enqueue(trx, FINISH_JOB, {}, { key: FINISH_JOB })
  })
}
