import { join } from 'node:path'
import { runMigrations as runJobMigrations } from 'graphile-worker'
import pg from 'pg'
import type { Log } from '../../telemetry/log.ts'
import { withClient as withOwnClient } from '../with-client.ts'
import { type ApplyPatience, applyMigration, type Migrator } from './apply-migration.ts'
import { type Applied, findMissing, findRefusal, findUnknown, readApplied } from './compatibility.ts'
import { MigrationError } from './migration-error.ts'
import { type LockPatience, takeMigrationLock } from './migration-lock.ts'
import { type Migration, readMigrations } from './read-migrations.ts'
import { requireFinishedRestore } from './unfinished-restore.ts'

export interface MigrateOptions extends Partial<LockPatience & ApplyPatience> {
  dir?: string
  /** Applies only these migrations. A restore needs the schema that its backup has. */
  only?: readonly string[]
}

/** The folder with the migrations of this program. */
export const migrationsDir = join(import.meta.dirname, '../../../../migrations')

const DEFAULTS = {
  dir: migrationsDir,
  lockWaitMs: 600_000,
  reportEveryMs: 5_000,
  tableLockMs: 2_000,
  tableLockRetryMs: 600_000,
} satisfies Required<Omit<MigrateOptions, 'only'>>

const APPLICATION_NAME = 'platen migrate'

/**
 * Migrates the database to the newest schema. Applies each missing file of `migrations/` in order, each in its own
 * transaction unless the file states otherwise. If several processes start at once, one migrates and the others wait.
 *
 * @throws {MigrationError} if an applied file has changed, a newer version of the database excludes this program, a
 *   migration fails, or a lock is not available within 10 minutes
 */
export async function migrate(settings: pg.PoolConfig, log: Log, options: MigrateOptions = {}): Promise<void> {
  const { dir, only, ...patience } = { ...DEFAULTS, ...options }
  const migrations = (await readMigrations(dir)).filter(({ name }) => only?.includes(name) ?? true)
  if (only === undefined) await withClient(settings, requireFinishedRestore)
  // Most starts have nothing to migrate. They need not wait while another version migrates.
  if (await withClient(settings, (client) => isUpToDate(client, migrations, log))) return migrateJobs(settings)
  await withClient(settings, async (guard) => {
    await takeMigrationLock(guard, log, patience)
    await withClient(settings, (work) => applyMissing({ work, guard, log, patience }, migrations))
    await guard.query('rollback')
  })
  await migrateJobs(settings)
}

/**
 * Checks whether a database has the schema that this program needs. Changes nothing.
 *
 * @returns the mismatch and what to do; undefined if the schema fits
 */
export async function findSchemaMismatch(
  settings: pg.PoolConfig,
  { dir = DEFAULTS.dir }: Pick<MigrateOptions, 'dir'> = {},
): Promise<string | undefined> {
  const migrations = await readMigrations(dir)
  const applied = await withClient(settings, async (client) => {
    await requireFinishedRestore(client)
    return readApplied(client)
  })
  if (applied === undefined) {
    return 'The database is not set up yet. Start the service on it first, or run "platen migrate".'
  }
  return findRefusal(migrations, applied) ?? olderThan(migrations, applied)
}

/** Lists the migrations of a database that this program does not know, because a newer version applied them. */
export async function listUnknownMigrations(settings: pg.PoolConfig): Promise<string[]> {
  const migrations = await readMigrations(migrationsDir)
  const applied = await withClient(settings, readApplied)
  return applied === undefined ? [] : findUnknown(migrations, applied)
}

function olderThan(migrations: readonly Migration[], applied: ReadonlyMap<string, Applied>): string | undefined {
  const missing = findMissing(migrations, applied)
  if (missing.length === 0) return undefined
  return (
    `The schema of the database is not that of this version of Platen (${missing.map(({ name }) => name).join(', ')}). ` +
    'Start this version of the service on it first, or run "platen migrate".'
  )
}

/**
 * Returns whether all migrations of this program were applied.
 *
 * @throws {MigrationError} if this program may not run on the database
 */
async function isUpToDate(client: pg.Client, migrations: readonly Migration[], log: Log): Promise<boolean> {
  const applied = await readApplied(client)
  if (applied === undefined) return false
  const refusal = findRefusal(migrations, applied)
  if (refusal !== undefined) throw new MigrationError(refusal)
  const unknown = findUnknown(migrations, applied)
  if (unknown.length > 0)
    log.warn({ unknown }, 'a newer version has migrated the database; this version is compatible with it')
  return findMissing(migrations, applied).length === 0
}

async function applyMissing(migrator: Migrator, migrations: readonly Migration[]): Promise<void> {
  const { work } = migrator
  await work.query(
    'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
  )
  // Reads the state again, because another process may have migrated while this one waited for the lock.
  const applied = (await readApplied(work)) ?? new Map()
  const refusal = findRefusal(migrations, applied)
  if (refusal !== undefined) throw new MigrationError(refusal)
  for (const migration of findMissing(migrations, applied)) await applyMigration(migrator, migration)
}

function withClient<T>(settings: pg.PoolConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  // Sets no other session parameter, because a pooler rejects parameters that it does not know.
  return withOwnClient({ ...settings, application_name: APPLICATION_NAME }, work)
}

/** Migrates the schema of the job queue. Its library allows several processes to do this at once. */
async function migrateJobs(settings: pg.PoolConfig): Promise<void> {
  const pool = new pg.Pool({ ...settings, application_name: APPLICATION_NAME, max: 2 })
  // Ignores errors of idle connections. The promise of the migration reports all other errors.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  try {
    await runJobMigrations({ pgPool: pool })
  } finally {
    await pool.end()
  }
}
