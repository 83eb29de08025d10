import { addSeconds } from '../platform/clock.ts'
import { type JobDefinition, oneAtATime } from '../platform/jobs.ts'
import { deleteQuotes } from './checkout/store.ts'
import type { OrderDeps } from './context.ts'
import { cancelUnpaidJob } from './erasure/cancel-unpaid.ts'
import { drawDueItemFiles } from './item-files/draw-item-files.ts'
import { drawJob, wakeDrawer } from './item-files/prepare-item-files.ts'
import { createTurns } from './item-files/turns.ts'
import { paymentJobs } from './payments/jobs.ts'

/** An expired quote still explains itself for a week. */
const QUOTE_KEPT_SECONDS = 7 * 24 * 3600

export function orderJobs(deps: OrderDeps): JobDefinition[] {
  const turns = createTurns()
  return [
    ...paymentJobs(deps),
    cancelUnpaidJob(deps),
    drawJob.handledBy(
      oneAtATime(
        () => drawDueItemFiles(deps, turns),
        () => wakeDrawer(deps.db),
      ),
      // Also without being told: for what is due again, and for what a killed process left.
      { cron: '* * * * *', isHeavy: true },
    ),
    {
      name: 'orders.prune_quotes',
      formerNames: ['prune-quotes'],
      cron: '17 3 * * *',
      handle: () => deleteQuotes(deps.db, addSeconds(deps.clock.now(), -QUOTE_KEPT_SECONDS)),
    },
  ]
}
