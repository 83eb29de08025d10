import { readArchived } from '../archive/archived-file.ts'
import { listBases, listLogs, listSegments } from '../archive/read-logs.ts'
import { verifyBaseCopy } from './unpack.ts'

/**
 * Reads all base copies and segments of an archive, and compares them with their checksums. Returns their numbers.
 *
 * @throws EmbeddedPostgresError `archive_fault` for the first damaged file
 */
export async function verifyArchive(archive: string): Promise<{ bases: number; segments: number }> {
  let [bases, segments] = [0, 0]
  for (const log of await listLogs(archive)) {
    for (const base of await listBases(log)) {
      await verifyBaseCopy(log, base)
      bases += 1
    }
    for (const name of await listSegments(log)) {
      await readArchived(log.segments, name)
      segments += 1
    }
  }
  return { bases, segments }
}
