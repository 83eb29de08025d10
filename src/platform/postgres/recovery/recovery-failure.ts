import { reportsFullDisk } from '../../file-system/full-disk.ts'
import { EmbeddedPostgresError } from '../programs/errors.ts'
import type { Site } from '../site.ts'

/** Makes the error for a server that ended instead of recovering its database, from its messages. */
export function recoveryFailure(
  { dataDir, serverLog }: Pick<Site, 'dataDir' | 'serverLog'>,
  messages: string,
): EmbeddedPostgresError {
  if (reportsFullDisk(messages)) {
    return new EmbeddedPostgresError(
      'disk_full',
      `PostgreSQL could not recover the database, because the disk of ${dataDir} is full. The archive is not damaged. Free ` +
        `space, or restore to another disk, and run the command again.\n${messages.trim()}`,
    )
  }
  return new EmbeddedPostgresError(
    'recovery_failed',
    `PostgreSQL could not recover the database. Its log was ${serverLog.path}.\n${messages.trim()}`,
  )
}
