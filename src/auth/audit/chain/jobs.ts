import { addSeconds, type Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { JobDefinition } from '../../../platform/jobs.ts'
import { pruneSecurityEvents } from './retention.ts'
import type { Sealer } from './sealer.ts'

export interface AuditJobDeps {
  db: Db
  clock: Clock
  sealer: Sealer
  /** HMAC key of the seals. */
  key: Buffer
  /** Time for which events are retained. */
  keepSeconds: number
}

export function auditJobs({ db, clock, sealer, key, keepSeconds }: AuditJobDeps): JobDefinition[] {
  return [
    {
      // Seals events that a killed process, a command or a slow transaction left unsealed.
      name: 'auth.seal_events',
      cron: '* * * * *',
      handle: () => sealer.sealNow(),
    },
    {
      name: 'auth.prune_events',
      cron: '27 3 * * *',
      handle: () => pruneSecurityEvents(db, key, addSeconds(clock.now(), -keepSeconds)),
    },
  ]
}
