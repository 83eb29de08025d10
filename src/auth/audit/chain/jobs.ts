import { addSeconds } from '../../../platform/clock.ts'
import type { JobDefinition } from '../../../platform/jobs/jobs.ts'
import { pruneSecurityEvents } from './retention.ts'
import type { Sealer } from './sealer.ts'
import { type VerificationDeps, verificationJob } from './verification.ts'

export interface AuditJobDeps extends VerificationDeps {
  sealer: Sealer
  /** Time for which events are retained. */
  keepSeconds: number
}

export function auditJobs(deps: AuditJobDeps): JobDefinition[] {
  const { db, clock, sealer, keys, keepSeconds } = deps
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
      handle: () => pruneSecurityEvents(db, keys, addSeconds(clock.now(), -keepSeconds)),
    },
    verificationJob(deps),
  ]
}
