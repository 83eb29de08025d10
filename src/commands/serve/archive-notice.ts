import type { Config } from '../../config/index.ts'
import { findLog, readOwnLog } from '../../platform/postgres/archive/log-folder.ts'
import { clusterFolder, readNewestBase } from '../../platform/postgres/index.ts'

/** Returns a line for the operator while no point in time can be restored from the archive. */
export async function describeEmptyArchive({ walArchive, dataDir }: Config): Promise<string | undefined> {
  if (walArchive === undefined) return undefined
  try {
    if ((await readNewestBase(walArchive, dataDir)) !== undefined) return undefined
  } catch (error) {
    // Another user may have made a base copy. That must not keep the service from running.
    return `The archive in ${walArchive} cannot be read: ${(error as Error).message}.`
  }
  return `The archive in ${walArchive} has no base copy of this database yet. Run "platen backup" to make one.`
}

/**
 * Returns a line for the operator if this start ends the log to which the database archived before. Call the function
 * before the database starts.
 */
export async function describeEndingLog({ walArchive, databaseUrl, dataDir }: Config): Promise<string | undefined> {
  if (databaseUrl !== undefined) return undefined
  const place = { dataDir, cluster: clusterFolder(dataDir) }
  const own = await readOwnLog(place).catch(() => undefined)
  if (own === undefined || own.archive === walArchive) return undefined
  if (walArchive !== undefined && (await mayContinue(walArchive, place))) return undefined
  const reason = walArchive === undefined ? 'PLATEN_WAL_ARCHIVE is not set' : `PLATEN_WAL_ARCHIVE is now ${walArchive}`
  return (
    `The archive of this database in ${own.archive} has ended (log ${own.log}), because ${reason}. No later point in time ` +
    'can be restored from it. Correct the setting, restart, and run "platen backup" to begin a new log.'
  )
}

/** Tells whether a folder may have the log. The start itself names the reason if the folder cannot be read. */
async function mayContinue(archive: string, place: Parameters<typeof findLog>[1]): Promise<boolean> {
  const log = await findLog(archive, place).catch(() => 'unknown')
  return log !== undefined
}
