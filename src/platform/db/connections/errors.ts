import { ConnectionTimeout } from '../admission/connection-gate.ts'

/**
 * SQLSTATEs after which a retry can succeed:
 * - 57P01 to 57P03, 08, 53300, 25006: the database is unavailable, read-only or has no free connection
 * - 57014: the statement exceeded its time
 * - 28, 3D000, 55000: the server rejects connections, as during a restore
 * - 40P01, 40001: the transaction was rolled back because of another one
 * - 55P03: another transaction held a lock for longer than `LOCK_TIMEOUT_MS`
 */
const UNAVAILABLE_STATES = /^(57P0[123]|57014|55P03|53300|08\d\d\d|25006|28000|28P01|3D000|55000|40P01|40001)$/

/**
 * Network error codes of Node.js that also mean an unavailable database, and the system calls of a database connection.
 */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EACCES',
])
const NETWORK_CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo'])

/** Messages of `pg` for a connection that ended or could not be opened. `pg` gives these errors no code. */
const UNREACHABLE_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after calling end)/

/** The function of PostgreSQL that rejects a prepared statement whose result type has changed with the tables. */
const STALE_PLAN_ROUTINE = 'RevalidateCachedQuery'

/**
 * Tells whether a migration changed the result type of a prepared statement ("cached plan must not change result
 * type"). The statement was not run, and succeeds when it is prepared again.
 */
export function isStalePlan(error: unknown): boolean {
  // Compares the function, because the message is in the language of the server.
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  return code === '0A000' && routine === STALE_PLAN_ROUTINE
}

/**
 * Tells whether an error means that the database is temporarily unavailable, as opposed to having rejected the
 * statement.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof ConnectionTimeout) return true
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined) return UNREACHABLE_MESSAGES.test(error.message)
  // ENOENT also means a missing file, and ECONNRESET a client that disconnected. Only errors of network calls count.
  return (
    isStalePlan(error) ||
    UNAVAILABLE_STATES.test(code) ||
    (UNREACHABLE.has(code) && syscall !== undefined && NETWORK_CALLS.has(syscall))
  )
}
