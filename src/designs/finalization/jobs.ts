import { addSeconds } from '../../platform/clock.ts'
import type { JobDefinition } from '../../platform/jobs.ts'
import type { FinalizeDeps } from './begin-finalization.ts'
import { type FinalizeJobPayload, resumeFinalization } from './finalize-design.ts'
import { FINALIZE_JOB, releaseLeases, releaseLeasesWithoutJob } from './store.ts'

/** Until then a job that waited long finds its lease again, unless another request has taken the design. */
const TIDIED_AFTER_SECONDS = 900

export function designJobs(deps: FinalizeDeps): JobDefinition[] {
  return [
    {
      name: FINALIZE_JOB,
      isHeavy: true,
      // Only `finalizeDesignLater` makes these payloads.
      handle: (payload, attempt) => resumeFinalization(deps, payload as FinalizeJobPayload, attempt),
    },
    {
      name: 'designs.release',
      cron: '* * * * *',
      handle: async () => {
        await releaseAbandonedDesigns(deps)
      },
    },
  ]
}

/**
 * Makes designs whose finalizing process is gone drafts again. They already count as drafts since their lease ended;
 * this corrects their rows.
 *
 * @param alone whether no other process can be finalizing, so that a killed process left every lease without a job
 * @returns how many designs there were
 */
export async function releaseAbandonedDesigns(
  { database, clock }: Pick<FinalizeDeps, 'database' | 'clock'>,
  { alone = false }: { alone?: boolean } = {},
): Promise<number> {
  if (alone) return releaseLeasesWithoutJob(database.db)
  return releaseLeases(database.db, addSeconds(clock.now(), -TIDIED_AFTER_SECONDS))
}
