import { ConfigError } from '../../config/values/config-error.ts'
import { BackupError } from '../../platform/backup/format/backup-error.ts'
import { SecretError } from '../../platform/cryptography/secret-error.ts'
import { MigrationError } from '../../platform/db/migrations/migration-error.ts'
import { EmbeddedPostgresError } from '../../platform/postgres/programs/errors.ts'
import { CommandError } from './command-error.ts'
import { type Output, writeError } from './terminal.ts'

/**
 * Errors whose message tells the operator what to do. For other errors, which are faults of the program, the stack is
 * printed.
 */
const EXPECTED = [ConfigError, EmbeddedPostgresError, MigrationError, BackupError, SecretError, CommandError]

/** Writes the reason of a failure to standard error, and returns the exit status. */
export function reportFailure(error: unknown, err: Output = process.stderr): number {
  const isExpected = EXPECTED.some((kind) => error instanceof kind)
  const text = error instanceof Error ? ((isExpected ? undefined : error.stack) ?? error.message) : String(error)
  // The text is split into lines first, because escaping would remove the line breaks of a stack.
  for (const line of `platen: ${text}`.split('\n')) writeError(line, err)
  return error instanceof CommandError ? error.exitStatus : 1
}
