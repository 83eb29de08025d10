import type { Config } from '../../config/index.ts'
import {
  type BackupTarget,
  type PruneBackupsOptions,
  type Pruned,
  pruneBackups,
  type Retention,
} from '../../platform/backup/index.ts'
import {
  findFirstPoint,
  type PruneArchiveOptions,
  type PrunedArchive,
  pruneArchive,
} from '../../platform/postgres/archive/prune-archive.ts'
import { clusterFolder } from '../../platform/postgres/index.ts'
import { CommandError, usageError } from '../command-line/command-error.ts'
import { type Terminal, writeLine } from '../command-line/terminal.ts'
import { withDatabase } from '../database-server.ts'
import { openSource, openTarget } from './places.ts'
import { findUnnamedArchive } from './unnamed-archive.ts'

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
    await requireNamedArchive(config)
    // Opening a folder for writing would create it.
    await (await openSource(place, config)).close()
    const target = await openTarget(place, config)
    try {
      const since = new Date(clock.now().getTime() - (pointInTime ?? DEFAULT_DAYS) * DAY_MS)
      const archive = await describeOptions(config, { target, since, dryRun })
      const pointsSince = archive === undefined ? undefined : await findFirstPoint(archive)
      const pruned = await pruneBackups({ database, target }, retention, { dryRun, pointsSince })
      for (const line of describe(pruned, { dryRun, pointsSince })) writeLine(line, out)
      return archive === undefined ? 0 : await pruneLogs(archive, out)
    } finally {
      await target.close()
    }
  })
}

/** @throws {CommandError} if the service archives, so that the secrets that its points in time need are unknown */
async function requireNamedArchive(config: Config): Promise<void> {
  const own = await findUnnamedArchive(config)
  if (own === undefined) return
  throw new CommandError(
    `Nothing was removed, because PLATEN_WAL_ARCHIVE is not set. The service archives to ${own.archive}, and the points in ` +
      'time there need secrets of backups. Set the variable for this command, too.',
  )
}

async function describeOptions(
  { walArchive: archive, dataDir }: Config,
  { target, ...options }: { target: BackupTarget; since: Date; dryRun: boolean },
): Promise<PruneArchiveOptions | undefined> {
  if (archive === undefined) return undefined
  const backups = new Set(await target.listIds())
  return { archive, dataDir, cluster: clusterFolder(dataDir), backups, ...options }
}

async function pruneLogs(options: PruneArchiveOptions, out: Terminal['out']): Promise<number> {
  const archived = await pruneArchive(options)
  for (const line of describeArchive(archived, options.dryRun)) writeLine(line, out)
  if (archived.faults.length === 0) return 0
  writeLine('Nothing of this log was removed from the archive until these base copies can be read.', out)
  return 1
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

function describe(
  { kept, forSecret, removed, files, bytes }: Pruned,
  { dryRun, pointsSince }: PruneBackupsOptions,
): string[] {
  const removal = dryRun ? 'To be removed' : 'Removed'
  const reason = `, because points in time since ${pointsSince?.toISOString()} need its secret`
  return [
    ...kept.map(({ id }) => `${id}  kept${forSecret.has(id) ? reason : ''}`),
    ...removed.map(({ id }) => `${id}  ${dryRun ? 'would be removed' : 'removed'}`),
    `${removal}: backups ${removed.length}, files ${files} (${bytes} bytes). Kept: backups ${kept.length}.`,
  ]
}
