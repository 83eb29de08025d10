export type EmbeddedPostgresErrorCode =
  | 'unsupported_platform'
  | 'in_use'
  | 'other_major_version'
  | 'programs_missing'
  | 'upgrade_interrupted'
  | 'moved'
  | 'not_accessible'
  | 'archive_unusable'
  | 'archive_fault'
  | 'restore_interrupted'
  | 'recovery_failed'
  | 'disk_full'
  | 'start_failed'

/**
 * The embedded PostgreSQL could not be started. The message is for the operator: what happened, in which folder, and
 * what to do.
 */
export class EmbeddedPostgresError extends Error {
  readonly code: EmbeddedPostgresErrorCode

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddedPostgresError'
    this.code = code
  }
}

/** Tells whether an error has one of these codes: of a system call (such as `ENOENT`) or a SQLSTATE of PostgreSQL. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
