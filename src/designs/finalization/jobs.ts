import { addSeconds } from '../../platform/clock.ts'
import type { JobDefinition } from '../../platform/jobs.ts'
import type { FinalizeDeps } from './begin-finalization.ts'
import { FINALIZE_KEY_PREFIX, finalizeJob, resumeFinalization } from './finalize-design.ts'
import { releaseLeases, releaseLeasesWithoutJob } from './store.ts'

/** Until then a job that had to wait long finds its lease again, unless somebody took the design meanwhile. */
const TIDIED_AFTER_SECONDS = 900

/** What designs have done apart from requests. */
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
 * Makes drafts again of designs whose finalizing process is gone. They count as drafts as soon as their lease has ended;
 * this tidies their rows.
 *
 * @param alone whether no other process can be finalizing, so that every lease without a job is one that a killed process
 *   left
 * @returns how many there were
 */
export async function releaseAbandonedDesigns(
  { database, clock }: Pick<FinalizeDeps, 'database' | 'clock'>,
  { alone = false }: { alone?: boolean } = {},
): Promise<number> {
  if (alone) return releaseLeasesWithoutJob(database.db, FINALIZE_KEY_PREFIX)
  return releaseLeases(database.db, addSeconds(clock.now(), -TIDIED_AFTER_SECONDS))
}
