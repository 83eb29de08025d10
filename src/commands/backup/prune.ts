import { type Pruned, pruneBackups, type Retention } from '../../platform/backup/index.ts'
import { usageError } from '../command-error.ts'
import { withDatabase } from '../database-server.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { openSource, openTarget } from './places.ts'

export interface PruneOptions extends Retention {
  dryRun?: boolean
}

/** Removes old backups and the files that only they need. Returns the exit status. */
export async function prune(
  place: string,
  { dryRun = false, ...retention }: PruneOptions,
  { out }: Terminal,
): Promise<number> {
  if (Object.values(retention).every((count) => count === undefined)) {
    throw usageError(
      'Nothing says which backups to keep. Add --keep-last, --keep-daily, --keep-weekly or --keep-monthly.',
    )
  }
  return withDatabase(async ({ config, database }) => {
    // Opening a folder for writing would create it.
    await (await openSource(place, config)).close()
    const target = await openTarget(place, config)
    try {
      const pruned = await pruneBackups({ database, target }, retention, { dryRun })
      for (const line of describe(pruned, dryRun)) writeLine(line, out)
      return 0
    } finally {
      await target.close()
    }
  })
}

function describe({ kept, removed, files, bytes }: Pruned, dryRun: boolean): string[] {
  const removal = dryRun ? 'To be removed' : 'Removed'
  return [
    ...kept.map(({ id }) => `${id}  kept`),
    ...removed.map(({ id }) => `${id}  ${dryRun ? 'would be removed' : 'removed'}`),
    `${removal}: backups ${removed.length}, files ${files} (${bytes} bytes). Kept: backups ${kept.length}.`,
  ]
}
