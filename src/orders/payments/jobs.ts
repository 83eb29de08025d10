import pTimeout from 'p-timeout'
import { type JobDefinition, oneAtATime } from '../../platform/jobs.ts'
import { checkJob } from './check-soon.ts'
import { checkCharge, finishPayments } from './finish-attempts.ts'
import { finishJob } from './make-way.ts'
import type { PaymentDeps } from './providers/find-provider.ts'

/** What a run has not begun by then is for the next: a provider that hangs does not keep a job's place for long. */
const RUN_MS = 15_000

export function paymentJobs(deps: PaymentDeps): JobDefinition[] {
  const finish = oneAtATime(
    async () => {
      await finishPayments(deps, AbortSignal.timeout(RUN_MS))
      return false
    },
    () => finishJob.enqueue(deps.db, {}, { key: finishJob.name }),
  )
  return [
    finishJob.handledBy((_, attempt) => untilStopped(finish(), attempt?.signal), { cron: '* * * * *' }),
    checkJob.handledBy((charge, attempt) => untilStopped(checkCharge(deps, charge), attempt?.signal)),
  ]
}

/** A service that stops does not wait for a provider that hangs: what is under way is taken over as after a kill. */
async function untilStopped(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work
  return pTimeout(work, { milliseconds: Number.POSITIVE_INFINITY, signal })
}
