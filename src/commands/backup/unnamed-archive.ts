import type { Config } from '../../config/index.ts'
import { readOwnLog } from '../../platform/postgres/archive/log-folder.ts'
import { clusterFolder } from '../../platform/postgres/index.ts'

/** Finds the archive of the service if the settings of this command lack it. Undefined if the service archives nowhere. */
export async function findUnnamedArchive({
  walArchive,
  databaseUrl,
  dataDir,
}: Config): Promise<{ archive: string } | undefined> {
  if (walArchive !== undefined || databaseUrl !== undefined) return undefined
  return readOwnLog({ dataDir, cluster: clusterFolder(dataDir) })
}
