import { addSeconds } from '../platform/clock.ts'
import { type JobDefinition, limitRuns } from '../platform/jobs/jobs.ts'
import { type CancelUnpaidDeps, cancelUnpaidJob } from './cancellation/cancel-unpaid.ts'
import { deleteQuotes } from './checkout/store.ts'
import { type DrawDeps, drawDueItemFiles } from './item-files/draw-item-files.ts'
import { createFairQueue, DRAWING_RUNS } from './item-files/fair-queue.ts'
import { drawJob, enqueueDrawing } from './item-files/prepare-item-files.ts'
import { fillOrderStatusesJob } from './payments/fill-order-statuses.ts'
import { paymentJobs } from './payments/jobs.ts'
import type { PaymentDeps } from './payments/providers/providers.ts'
import { countQuartersJob } from './statistics/count-quarters.ts'
import { countStatusesJobs } from './statistics/count-statuses.ts'

export type OrderJobDeps = PaymentDeps & DrawDeps & CancelUnpaidDeps

/** For a week after it expired, a quote is reported as expired (`quote_expired`) instead of unknown. */
const QUOTE_RETENTION_SECONDS = 7 * 24 * 3600

export function orderJobs(deps: OrderJobDeps): JobDefinition[] {
  const fairQueue = createFairQueue()
  return [
    ...paymentJobs(deps),
    fillOrderStatusesJob(deps),
    countQuartersJob(deps),
    ...countStatusesJobs(deps),
    cancelUnpaidJob(deps),
    drawJob.handledBy(
      limitRuns(
        DRAWING_RUNS,
        () => drawDueItemFiles(deps, fairQueue),
        () => enqueueDrawing(deps.db),
      ),
      // This job also runs every minute without a request, for repeated tries and for the work of killed processes.
      { cron: '* * * * *', isHeavy: true },
    ),
    {
      name: 'orders.prune_quotes',
      formerNames: ['prune-quotes'],
      cron: '17 3 * * *',
      handle: () => deleteQuotes(deps.db, addSeconds(deps.clock.now(), -QUOTE_RETENTION_SECONDS)),
    },
  ]
}
