import { type Pruned, pruneBackups, type Retention } from '../../platform/backup/index.ts'
import { type PrunedArchive, pruneArchive } from '../../platform/postgres/archive/prune-archive.ts'
import { clusterFolder } from '../../platform/postgres/index.ts'
import { usageError } from '../command-line/command-error.ts'
import { type Terminal, writeLine } from '../command-line/terminal.ts'
import { withDatabase } from '../database-server.ts'
import { openSource, openTarget } from './places.ts'

export interface PruneOptions extends Retention {
  /** Days of which the archive keeps each point in time. */
  pointInTime?: number
  dryRun?: boolean
}

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 7

/** Removes old backups and the files that only they need. Returns the exit status. */
export async function prune(
  place: string,
  { dryRun = false, pointInTime, ...retention }: PruneOptions,
  { out }: Terminal,
): Promise<number> {
  if (Object.values(retention).every((count) => count === undefined)) {
    throw usageError(
      'Nothing says which backups to keep. Add --keep-last, --keep-daily, --keep-weekly or --keep-monthly.',
    )
  }
  return withDatabase(async ({ config, database, clock }) => {
    if (pointInTime !== undefined && config.walArchive === undefined) {
      throw usageError('--point-in-time is for the archive of PLATEN_WAL_ARCHIVE, which is not set.')
    }
    // Opening a folder for writing would create it.
    await (await openSource(place, config)).close()
    const target = await openTarget(place, config)
    try {
      const backups = new Set(await target.listIds())
      const pruned = await pruneBackups({ database, target }, retention, { dryRun })
      for (const line of describe(pruned, dryRun)) writeLine(line, out)
      const { walArchive: archive, dataDir } = config
      if (archive !== undefined) {
        const since = new Date(clock.now().getTime() - (pointInTime ?? DEFAULT_DAYS) * DAY_MS)
        const options = { archive, dataDir, cluster: clusterFolder(dataDir), backups, since, dryRun }
        const archived = await pruneArchive(options)
        for (const line of describeArchive(archived, dryRun)) writeLine(line, out)
        if (archived.faults.length > 0) {
          writeLine('Nothing of this log was removed from the archive until these base copies can be read.', out)
          return 1
        }
      }
      return 0
    } finally {
      await target.close()
    }
  })
}

function describeArchive(
  { hasCopy, bases, segments, logs, foreign, faults }: PrunedArchive,
  dryRun: boolean,
): string[] {
  if (!hasCopy) {
    const reason = 'because the database of the data folder has no base copy in it that can be restored'
    return [`Nothing ${dryRun ? 'is to be' : 'was'} removed from the archive, ${reason}.`, ...faults]
  }
  const ended = logs.length === 0 ? '' : `, ended logs ${logs.join(', ')}`
  const removed = dryRun ? 'To be removed' : 'Removed'
  const lines = [`${removed} from the archive: base copies ${bases}, segments ${segments}${ended}.`, ...faults]
  for (const log of foreign) {
    lines.push(
      `Kept in the archive: the ended log ${log.name} (base copies ${log.bases}, segments ${log.segments}), because nothing ` +
        'shows that it belongs to this installation. If it is not of another one, delete its folder.',
    )
  }
  return lines
}

function describe({ kept, removed, files, bytes }: Pruned, dryRun: boolean): string[] {
  const removal = dryRun ? 'To be removed' : 'Removed'
  return [
    ...kept.map(({ id }) => `${id}  kept`),
    ...removed.map(({ id }) => `${id}  ${dryRun ? 'would be removed' : 'removed'}`),
    `${removal}: backups ${removed.length}, files ${files} (${bytes} bytes). Kept: backups ${kept.length}.`,
  ]
}
