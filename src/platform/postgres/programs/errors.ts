export type EmbeddedPostgresErrorCode =
  | 'unsupported_platform'
  | 'in_use'
  | 'other_major_version'
  | 'not_accessible'
  | 'start_failed'

/**
 * Why the embedded PostgreSQL could not be brought up, in words for the person who started the service:
 * what happened, in which folder, and what to do about it.
 */
export class EmbeddedPostgresError extends Error {
  readonly code: EmbeddedPostgresErrorCode

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddedPostgresError'
    this.code = code
  }
}

/** Whether a system call failed with one of these codes (`ENOENT`, ...) or PostgreSQL answered one of these SQLSTATEs. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
