import { setTimeout as delay } from 'node:timers/promises'
import pg, { type ClientBase } from 'pg'
import type { Log } from '../../telemetry/log.ts'
import { type Blocked, describe, findBlocked } from './blockers.ts'
import { buildConcurrently } from './build-concurrently.ts'
import { MigrationError } from './migration-error.ts'
import { COMPATIBLE_SINCE, type Migration, numberOf } from './read-migrations.ts'

export interface ApplyPatience {
  /**
   * How long a statement waits for the lock of a table. During this time, all other statements on the table wait behind
   * it.
   */
  tableLockMs: number
  /**
   * How long the migration repeats attempts that get no table lock. Pauses between the attempts let other statements
   * run.
   */
  tableLockRetryMs: number
}

export interface Migrator {
  work: ClientBase
  /** The connection that holds the migration lock and observes what `work` waits for. */
  guard: ClientBase
  log: Log
  patience: ApplyPatience
}

/**
 * Removes time limits of the role or the database, which are meant for requests. The settings apply only to the
 * transaction, because a pooler gives the session to other clients. The server also checks every second whether this
 * process is still connected. If not, it rolls the migration back, so that the next process does not have to wait for
 * the end of a statement. Some platforms do not support this check.
 */
const UNLIMITED = `
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local transaction_timeout = 0;
  do $$ begin
    perform set_config('client_connection_check_interval', '1000', true);
  exception when invalid_parameter_value then null;
  end $$`

/** SQLSTATEs of a transaction that was rolled back because of locks of other transactions. A retry can succeed. */
const IN_THE_WAY = new Set(['55P03', '40P01'])

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
const LOOK_EVERY_MS = 400

/**
 * Applies one migration and records it.
 *
 * @throws {MigrationError} if a statement fails or gets no table lock in time
 */
export async function applyMigration(migrator: Migrator, migration: Migration): Promise<void> {
  const { log } = migrator
  try {
    if (migration.inTransaction) await applyInTransaction(migrator, migration)
    else await applyOutsideTransaction(migrator, migration)
  } catch (error) {
    if (error instanceof MigrationError) throw error
    throw new MigrationError(`migrations/${migration.name} failed: ${(error as Error).message}`, { cause: error })
  }
  log.info({ migration: migration.name }, 'migrated')
}

async function applyInTransaction(migrator: Migrator, migration: Migration): Promise<void> {
  const { log, patience } = migrator
  const deadline = performance.now() + patience.tableLockRetryMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const { error, blocked } = await tryInTransaction(migrator, migration)
    if (error === undefined) return
    if (!IN_THE_WAY.has(String((error as { code?: unknown }).code))) throw error
    if (performance.now() + pauseMs > deadline) {
      const reason = blocked && `it waits for ${blocked.waitsFor}, held by ${describe(blocked.blockedBy)}`
      throw new MigrationError(
        `migrations/${migration.name} was not applied: ${reason ?? (error as Error).message}. End that process, or start ` +
          'again when it has finished.',
        { cause: error },
      )
    }
    log.warn(
      { migration: migration.name, ...blocked, retryInMs: pauseMs },
      'the migration gets no table lock; it will be retried',
    )
    await delay(pauseMs)
  }
}

/** Returns the error of a transaction that was rolled back, and the lock that the transaction waited for last. */
async function tryInTransaction(
  { work, guard, patience }: Migrator,
  migration: Migration,
): Promise<{ error?: unknown; blocked?: Blocked | undefined }> {
  const pid = await begin(work, patience)
  const watch = watchBlocked(guard, pid)
  try {
    // The record is written first. If two processes ever apply the same migration, the second one fails on this record.
    await work.query(`${recordOf(migration)};\n${migration.sql}\n;${compatibilityOf(migration)}`)
    await watch.end()
    await requireLock(guard)
    await work.query('commit')
    return {}
  } catch (error) {
    // On a broken connection, the rollback fails too. That error must not hide the original one.
    await work.query('rollback').catch(() => undefined)
    return { error, blocked: await watch.end().catch(() => undefined) }
  }
}

/**
 * Begins a transaction with the limits of migrations. Returns the id of the server process, which a pooler assigns with
 * the transaction.
 */
async function begin(work: ClientBase, { tableLockMs }: ApplyPatience): Promise<number> {
  await work.query(`begin; set local lock_timeout = ${tableLockMs}; ${UNLIMITED}`)
  const { rows } = await work.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

function recordOf({ name, sha256 }: Migration): string {
  return `insert into schema_migrations (name, sha256) values (${pg.escapeLiteral(name)}, ${pg.escapeLiteral(sha256)})`
}

/**
 * Returns the statement that records which programs may run on the database. The column exists since migration
 * `COMPATIBLE_SINCE`.
 */
function compatibilityOf({ name, minCompatible }: Migration): string {
  if (numberOf(name) < COMPATIBLE_SINCE) return ''
  return `update schema_migrations set min_compatible = '${minCompatible}' where name = ${pg.escapeLiteral(name)}`
}

/** Fails if the connection with the migration lock is lost, because another process may have started to migrate. */
async function requireLock(guard: ClientBase): Promise<void> {
  await guard.query('select 1')
}

/**
 * Applies a migration outside of a transaction. If a later statement fails, completed indexes stay, and the next
 * attempt uses them.
 */
async function applyOutsideTransaction({ work, guard, log }: Migrator, migration: Migration): Promise<void> {
  // This query also closes the portal of the last statement with parameters. The index build would wait for its
  // snapshot.
  await requireLock(guard)
  await buildConcurrently({ work, log }, migration)
  await requireLock(guard)
  await work.query(`begin; ${recordOf(migration)}; ${compatibilityOf(migration)}; commit`)
}

interface Watch {
  /**
   * Ends the observation.
   *
   * @returns the lock that the session waited for last
   * @throws if the connection was lost, and with it the migration lock
   */
  end(): Promise<Blocked | undefined>
}

/**
 * Observes from another connection what a session waits for. The session itself cannot report this, and the information
 * is gone when the wait ends.
 */
function watchBlocked(guard: ClientBase, pid: number): Watch {
  const stop = new AbortController()
  let last: Blocked | undefined
  const look = async (): Promise<void> => {
    for (;;) {
      await delay(LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined)
      if (stop.signal.aborted) return
      last = (await findBlocked(guard, pid)) ?? last
    }
  }
  const looking = look()
  looking.catch(() => undefined)
  return {
    end: async () => {
      stop.abort()
      await looking
      return last
    },
  }
}
