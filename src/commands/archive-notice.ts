import type { Config } from '../config/index.ts'
import { findLog } from '../platform/postgres/archive/log-folder.ts'
import { readBases } from '../platform/postgres/archive/read-logs.ts'
import { clusterFolder } from '../platform/postgres/index.ts'

/** Returns a line for the operator while no point in time can be restored from the archive. */
export async function describeEmptyArchive({ walArchive, dataDir }: Config): Promise<string | undefined> {
  if (walArchive === undefined) return undefined
  try {
    const log = await findLog(walArchive, { dataDir, cluster: clusterFolder(dataDir) })
    if (log !== undefined && (await readBases(log)).bases.length > 0) return undefined
  } catch (error) {
    // Another user may have made a base copy. That must not keep the service from running.
    return `The archive in ${walArchive} cannot be read: ${(error as Error).message}.`
  }
  return `The archive in ${walArchive} has no base copy of this database yet. Run "platen backup" to make one.`
}
