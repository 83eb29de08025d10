import { addSeconds, type Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import type { JobDefinition } from '../platform/jobs/jobs.ts'
import { deleteDays, deleteEntries } from './store.ts'

export const KEEP_SECONDS = 7 * 24 * 3600

const BATCH = 5_000

export function requestLogJobs({ db, clock }: { db: Db; clock: Clock }): JobDefinition[] {
  return [
    {
      name: 'requests.prune',
      cron: '33 * * * *',
      handle: async () => {
        const before = addSeconds(clock.now(), -KEEP_SECONDS)
        while ((await deleteEntries(db, before, BATCH)) === BATCH);
        await deleteDays(db, before)
      },
    },
  ]
}
