import { addSeconds, type Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import type { JobDefinition } from '../platform/jobs/jobs.ts'
import { EVENTS_KEPT_SECONDS, pruneEvents } from '../platform/outbox/index.ts'

export function eventJobs({ db, clock }: { db: Db; clock: Clock }): JobDefinition[] {
  return [
    {
      name: 'events.prune',
      cron: '23 * * * *',
      handle: () => pruneEvents(db, addSeconds(clock.now(), -EVENTS_KEPT_SECONDS)),
    },
  ]
}
