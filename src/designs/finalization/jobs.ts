import { addSeconds } from '../../platform/clock.ts'
import type { JobDefinition } from '../../platform/jobs.ts'
import type { FinalizeDeps } from './begin-finalization.ts'
import { FINALIZE_KEY_PREFIX, finalizeJob, resumeFinalization } from './finalize-design.ts'
import { releaseLeases, releaseLeasesWithoutJob } from './store.ts'

/** Until then a job that waited long finds its lease again, unless another request has taken the design. */
const TIDIED_AFTER_SECONDS = 900

export function designJobs(deps: FinalizeDeps): JobDefinition[] {
  return [
    finalizeJob.handledBy((payload, attempt) => resumeFinalization(deps, payload, attempt), { isHeavy: true }),
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
  if (alone) return releaseLeasesWithoutJob(database.db, FINALIZE_KEY_PREFIX)
  return releaseLeases(database.db, addSeconds(clock.now(), -TIDIED_AFTER_SECONDS))
}
