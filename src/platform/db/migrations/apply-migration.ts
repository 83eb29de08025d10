import { setTimeout as delay } from 'node:timers/promises'
import pg, { type ClientBase } from 'pg'
import type { Log } from '../../log.ts'
import { type Blocked, describe, findBlocked } from './blockers.ts'
import { buildConcurrently } from './build-concurrently.ts'
import { MigrationError } from './migration-error.ts'
import { COMPATIBLE_SINCE, type Migration, numberOf } from './read-migrations.ts'

export interface ApplyPatience {
  /** How long a statement waits for the lock of a table. Meanwhile all other statements on the table wait behind it. */
  tableLockMs: number
  /** How long such waits are repeated, with pauses in which the others get on. */
  tableLockRetryMs: number
}

export interface Migrator {
  work: ClientBase
  /** Holds the lock, and sees what `work` waits for. */
  guard: ClientBase
  log: Log
  patience: ApplyPatience
}

/**
 * Limits that the role or the database sets are for requests. They are set for the transaction alone: a pooler hands the
 * session on. The server looks every second whether this process still lives, and otherwise undoes the migration, so that
 * the next process need not wait for the end of a statement. Not every platform can.
 */
const UNLIMITED = `
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local transaction_timeout = 0;
  do $$ begin
    perform set_config('client_connection_check_interval', '1000', true);
  exception when invalid_parameter_value then null;
  end $$`

/** SQLSTATEs of a transaction that was undone because of others' locks, and succeeds when it is tried again. */
const IN_THE_WAY = new Set(['55P03', '40P01'])

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
const LOOK_EVERY_MS = 400

/**
 * Applies one migration and records it.
 *
 * @throws {MigrationError} when a statement fails, or gets no lock of a table within the time
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
    log.warn({ migration: migration.name, ...blocked, retryInMs: pauseMs }, 'the migration gets no lock: trying again')
    await delay(pauseMs)
  }
}

/** Returns the error of a transaction that was rolled back, and what it waited for last. */
async function tryInTransaction(
  { work, guard, patience }: Migrator,
  migration: Migration,
): Promise<{ error?: unknown; blocked?: Blocked | undefined }> {
  const pid = await begin(work, patience)
  const watch = watchBlocked(guard, pid)
  try {
    // Recorded first, so that of two processes that apply it, should there be two, the second finds it applied.
    await work.query(`${recordOf(migration)};\n${migration.sql}\n;${compatibilityOf(migration)}`)
    await watch.end()
    await requireLock(guard)
    await work.query('commit')
    return {}
  } catch (error) {
    // On a broken connection this fails too, and must not hide why.
    await work.query('rollback').catch(() => undefined)
    return { error, blocked: await watch.end().catch(() => undefined) }
  }
}

/** Begins a transaction with the limits of migrations. Returns the server's process, which a pooler assigns with it. */
async function begin(work: ClientBase, { tableLockMs }: ApplyPatience): Promise<number> {
  await work.query(`begin; set local lock_timeout = ${tableLockMs}; ${UNLIMITED}`)
  const { rows } = await work.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

function recordOf({ name, sha256 }: Migration): string {
  return `insert into schema_migrations (name, sha256) values (${pg.escapeLiteral(name)}, ${pg.escapeLiteral(sha256)})`
}

/** The column is there from that migration on. */
function compatibilityOf({ name, minCompatible }: Migration): string {
  if (numberOf(name) < COMPATIBLE_SINCE) return ''
  return `update schema_migrations set min_compatible = '${minCompatible}' where name = ${pg.escapeLiteral(name)}`
}

/** Fails when the connection is lost that holds the lock of the migration: another process may have begun to migrate. */
async function requireLock(guard: ClientBase): Promise<void> {
  await guard.query('select 1')
}

/** What was built stays when a later statement fails: the next try finds it. */
async function applyOutsideTransaction({ work, guard, log }: Migrator, migration: Migration): Promise<void> {
  // It also closes the portal of the last statement with parameters, whose snapshot the build would wait for.
  await requireLock(guard)
  await buildConcurrently({ work, log }, migration)
  await requireLock(guard)
  await work.query(`begin; ${recordOf(migration)}; ${compatibilityOf(migration)}; commit`)
}

interface Watch {
  /** @returns what was waited for last @throws when the connection was lost, and the migration's lock with it */
  end(): Promise<Blocked | undefined>
}

/** Looks from beside what a session waits for: it cannot tell itself, and afterwards nobody knows. */
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
