import type { Db } from '../../platform/db/index.ts'
import type { JobDefinition } from '../../platform/jobs/jobs.ts'
import { addUpStatuses } from './store.ts'

/** Adds up the changes of statuses of the last minute, so that statistics read few rows, and counts all orders at night. */
export function countStatusesJobs({ db }: { db: Db }): JobDefinition[] {
  const addUp = (recounts: boolean) => () => db.transaction().execute((trx) => addUpStatuses(trx, { recounts }))
  return [
    { name: 'orders.count_statuses', cron: '* * * * *', handle: addUp(false) },
    { name: 'orders.recount_statuses', cron: '41 3 * * *', handle: addUp(true) },
  ]
}
