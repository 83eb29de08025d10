import { EmbeddedPostgresError } from '../programs/errors.ts'

/** Makes an error for an archive that is damaged, incomplete or not the right one. The message is for the operator. */
export function archiveFault(message: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError('archive_fault', message)
}
