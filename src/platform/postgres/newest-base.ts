import { findLog } from './archive/log-folder.ts'
import { readBases } from './archive/read-logs.ts'
import { clusterFolder } from './site.ts'

/** Reads when the newest base copy in the log of a data folder ended. Undefined if its log has none. */
export async function readNewestBase(archive: string, dataDir: string): Promise<Date | undefined> {
  const log = await findLog(archive, { dataDir, cluster: clusterFolder(dataDir) })
  const newest = log === undefined ? undefined : (await readBases(log)).bases.at(-1)
  return newest === undefined ? undefined : new Date(newest.endedAt)
}
