import type { Db } from '../../platform/db/index.ts'
import type { JobDefinition } from '../../platform/jobs.ts'
import { addUpStatuses } from './store.ts'

/** Adds up the changes of statuses of the last minute, so that statistics read few rows. */
export function countStatusesJob({ db }: { db: Db }): JobDefinition {
  const handle = () => db.transaction().execute(addUpStatuses)
  return { name: 'orders.count_statuses', cron: '* * * * *', handle }
}
