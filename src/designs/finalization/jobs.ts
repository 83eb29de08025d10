import type { JobDefinition } from '../../platform/jobs.ts'
import type { FinalizeDeps } from './begin-finalization.ts'
import { FINALIZE_JOB, type FinalizeJobPayload, resumeFinalization } from './finalize-design.ts'
import { releaseLeases } from './store.ts'

/** What designs have done apart from requests. */
export function designJobs(deps: FinalizeDeps): JobDefinition[] {
  return [
    {
      name: FINALIZE_JOB,
      // Only `finalizeDesignLater` makes these payloads.
      handle: (payload) => resumeFinalization(deps, payload as FinalizeJobPayload),
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
 * Makes drafts again of designs whose finalizing process is gone.
 *
 * @param alone whether no other process can be finalizing, so that every lease is one that a killed process left
 * @returns how many there were
 */
export async function releaseAbandonedDesigns(
  { database, clock }: Pick<FinalizeDeps, 'database' | 'clock'>,
  { alone = false }: { alone?: boolean } = {},
): Promise<number> {
  return releaseLeases(database.db, alone ? undefined : clock.now())
}
