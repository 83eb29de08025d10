import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import type { JobDefinition } from '../../platform/jobs/jobs.ts'
import { countQuarters } from './store.ts'

const QUARTER_MS = 15 * 60_000

/** Far more than the longest transaction, and than the difference of the clocks of two computers. */
const SETTLED_MS = 3_600_000

/** About 20,000 orders in a shop with a million orders a year. */
const DAYS_AT_ONCE = 7

/** Counts all orders of quarters that no longer change, some days in a transaction. */
export async function countSettledQuarters({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  const settled = clock.now().getTime() - SETTLED_MS
  const before = new Date(settled - (settled % QUARTER_MS))
  const step = () => db.transaction().execute((trx) => countQuarters(trx, { before, atMostDays: DAYS_AT_ONCE }))
  while (await step());
}

export function countQuartersJob(deps: { db: Db; clock: Clock }): JobDefinition {
  return { name: 'orders.count_quarters', cron: '7 * * * *', handle: () => countSettledQuarters(deps) }
}
