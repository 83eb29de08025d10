import { archiveFault } from '../archive/archive-fault.ts'
import { readArchived } from '../archive/archived-file.ts'
import { listLogs, listSegments, readLog } from '../archive/read-logs.ts'
import { verifyBaseCopy } from './unpack.ts'

/**
 * Reads all base copies and segments of an archive, and compares them with their checksums. Returns their numbers.
 *
 * @throws EmbeddedPostgresError `archive_fault` for the first damaged file, or a missing segment
 */
export async function verifyArchive(archive: string): Promise<{ bases: number; segments: number }> {
  let [bases, segments] = [0, 0]
  for (const log of await listLogs(archive)) {
    const { reaches, faults } = await readLog(log)
    for (const fault of faults) throw archiveFault(fault)
    for (const { base } of reaches) {
      await verifyBaseCopy(log, base)
      bases += 1
    }
    for (const name of await listSegments(log)) {
      await readArchived(log.segments, name)
      segments += 1
    }
    const missing = reaches.find((reach) => reach.missing !== undefined)?.missing
    if (missing !== undefined) throw archiveFault(`The log ${log.name} of ${archive} lacks the segment ${missing}.`)
  }
  return { bases, segments }
}
