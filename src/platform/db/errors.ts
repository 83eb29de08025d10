import { ConnectionTimeout } from './connection-gate.ts'

/**
 * SQLSTATEs that mean: the database is not there at the moment, or (57014) did not answer within the statement's time, or
 * (28, 3D000, 55000) lets nobody connect, as while it is being restored, or (40P01, 40001) undid a transaction because
 * another one was in its way: nothing of it happened, and it goes well when it is tried again. 55P03: another transaction
 * holds a lock for longer than `LOCK_TIMEOUT_MS`.
 */
const UNAVAILABLE_STATES = /^(57P0[123]|57014|55P03|53300|08\d\d\d|25006|28000|28P01|3D000|55000|40P01|40001)$/

/** Codes of Node's network layer that mean the same, and the system calls that a database connection makes. */
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

/** Messages of `pg` for a connection that ended or never came about; it gives these errors no code. */
const UNREACHABLE_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after calling end)/

/** PostgreSQL's function that refuses a prepared statement whose result has changed with the tables. */
const STALE_PLAN_ROUTINE = 'RevalidateCachedQuery'

/**
 * Whether a migration changed what a prepared statement returns ("cached plan must not change result type"). The
 * statement was not run, and succeeds when it is prepared anew.
 */
export function isStalePlan(error: unknown): boolean {
  // By the function, since the message comes in the language of the server.
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  return code === '0A000' && routine === STALE_PLAN_ROUTINE
}

/** Whether an error says that the database cannot do something at the moment, as opposed to having refused it. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof ConnectionTimeout) return true
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined) return UNREACHABLE_MESSAGES.test(error.message)
  // ENOENT also means a missing file, and ECONNRESET a client that went away: only what came from a socket of ours counts.
  return (
    isStalePlan(error) ||
    UNAVAILABLE_STATES.test(code) ||
    (UNREACHABLE.has(code) && syscall !== undefined && NETWORK_CALLS.has(syscall))
  )
}
