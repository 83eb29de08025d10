import { addSeconds } from '../platform/clock.ts'
import type { JobDefinition } from '../platform/jobs/jobs.ts'
import type { WebhookDeps } from './context.ts'
import { pruneDeliveries, purgeDeleted } from './deliveries/store.ts'
import { purgeJob } from './endpoints/change-endpoints.ts'

/** Time for which deliveries are retained. Events are retained for the same time. */
const KEPT_SECONDS = 30 * 86_400

export function webhookJobs({ db, clock }: Pick<WebhookDeps, 'db' | 'clock'>): JobDefinition[] {
  return [
    {
      name: 'webhooks.prune',
      cron: '23 * * * *',
      handle: () => pruneDeliveries(db, addSeconds(clock.now(), -KEPT_SECONDS)),
    },
    purgeJob.handledBy(() => purgeDeleted(db), { cron: '11 * * * *' }),
  ]
}
