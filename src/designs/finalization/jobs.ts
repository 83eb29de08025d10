import { addSeconds } from '../../platform/clock.ts'
import type { JobDefinition } from '../../platform/jobs/jobs.ts'
import type { FinalizeDeps } from './begin-finalization.ts'
import { FINALIZE_KEY_PREFIX, finalizeJob, resumeFinalization } from './finalize-design.ts'
import { releaseLeases, releaseLeasesWithoutJob } from './store.ts'

/**
 * Time after the end of a lease at which the row of its design is corrected. Until then, a job that waited long can
 * still use its lease, unless another request has leased the design.
 */
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
 * Makes designs whose finalizing process has died drafts again. The API shows them as drafts since their lease ended;
 * this function corrects their rows.
 *
 * @param alone whether no other process can be finalizing, so that every lease without a job was left by a killed
 *   process
 * @returns the number of these designs
 */
export async function releaseAbandonedDesigns(
  { database, clock }: Pick<FinalizeDeps, 'database' | 'clock'>,
  { alone = false }: { alone?: boolean } = {},
): Promise<number> {
  if (alone) return releaseLeasesWithoutJob(database.db, FINALIZE_KEY_PREFIX)
  return releaseLeases(database.db, addSeconds(clock.now(), -TIDIED_AFTER_SECONDS))
}
