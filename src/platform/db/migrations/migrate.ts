import { join } from 'node:path'
import { runMigrations as runJobMigrations } from 'graphile-worker'
import pg from 'pg'
import type { Log } from '../../log.ts'
import { type ApplyPatience, applyMigration, type Migrator } from './apply-migration.ts'
import { type Applied, findMissing, findRefusal, findUnknown, readApplied } from './compatibility.ts'
import { MigrationError } from './migration-error.ts'
import { type LockPatience, takeMigrationLock } from './migration-lock.ts'
import { type Migration, readMigrations } from './read-migrations.ts'

export interface MigrateOptions extends Partial<LockPatience & ApplyPatience> {
  dir?: string
}

const DEFAULTS = {
  dir: join(import.meta.dirname, '../../../../migrations'),
  lockWaitMs: 600_000,
  reportEveryMs: 5_000,
  tableLockMs: 2_000,
  tableLockRetryMs: 600_000,
} satisfies Required<MigrateOptions>

const APPLICATION_NAME = 'platen migrate'

/**
 * Brings the database to the newest schema: each file of `migrations/` once, in order, each in a transaction of its own
 * unless it says otherwise. Several processes may start at once; one migrates, the others wait.
 *
 * @throws {MigrationError} when a file that was applied has changed since, the database is of a newer version that this
 *   program may not run on, a migration fails, or a lock is not to be had within 10 minutes
 */
export async function migrate(settings: pg.PoolConfig, log: Log, options: MigrateOptions = {}): Promise<void> {
  const { dir, ...patience } = { ...DEFAULTS, ...options }
  const migrations = await readMigrations(dir)
  // Most starts find nothing to do, and need not wait for a migration of another version that is under way.
  if (await withClient(settings, (client) => isUpToDate(client, migrations, log))) return migrateJobs(settings)
  await withClient(settings, async (guard) => {
    await takeMigrationLock(guard, log, patience)
    await withClient(settings, (work) => applyMissing({ work, guard, log, patience }, migrations))
    await guard.query('rollback')
  })
  await migrateJobs(settings)
}

/**
 * Whether a database has the schema that this program works with. Changes nothing.
 *
 * @returns what is the matter and what to do; undefined when it has
 */
export async function findSchemaMismatch(
  settings: pg.PoolConfig,
  { dir = DEFAULTS.dir }: Pick<MigrateOptions, 'dir'> = {},
): Promise<string | undefined> {
  const migrations = await readMigrations(dir)
  const applied = await withClient(settings, readApplied)
  if (applied === undefined) {
    return 'The database was not set up yet. Start the service on it first, or run "platen migrate".'
  }
  return findRefusal(migrations, applied) ?? olderThan(migrations, applied)
}

function olderThan(migrations: readonly Migration[], applied: ReadonlyMap<string, Applied>): string | undefined {
  const missing = findMissing(migrations, applied)
  if (missing.length === 0) return undefined
  return (
    `The database is not that of this version of Platen (${missing.map(({ name }) => name).join(', ')}). ` +
    'Start this version of the service on it first, or run "platen migrate".'
  )
}

/** @throws {MigrationError} when this program may not run on the database */
async function isUpToDate(client: pg.Client, migrations: readonly Migration[], log: Log): Promise<boolean> {
  const applied = await readApplied(client)
  if (applied === undefined) return false
  const refusal = findRefusal(migrations, applied)
  if (refusal !== undefined) throw new MigrationError(refusal)
  const unknown = findUnknown(migrations, applied)
  if (unknown.length > 0) log.warn({ unknown }, 'the database is of a newer version, which this one is compatible with')
  return findMissing(migrations, applied).length === 0
}

async function applyMissing(migrator: Migrator, migrations: readonly Migration[]): Promise<void> {
  const { work } = migrator
  await work.query(
    'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
  )
  // Anew: another process may have migrated while this one waited.
  const applied = (await readApplied(work)) ?? new Map()
  const refusal = findRefusal(migrations, applied)
  if (refusal !== undefined) throw new MigrationError(refusal)
  for (const migration of findMissing(migrations, applied)) await applyMigration(migrator, migration)
}

async function withClient<T>(settings: pg.PoolConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  // No other parameter of a session: a pooler refuses those that it does not know.
  const client = new pg.Client({ ...settings, application_name: APPLICATION_NAME })
  // Without a listener a connection that breaks would end the process; the query in hand fails anyway.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The job queue brings its own schema, and lets several processes migrate it at once. */
async function migrateJobs(settings: pg.PoolConfig): Promise<void> {
  const pool = new pg.Pool({ ...settings, application_name: APPLICATION_NAME, max: 2 })
  // Errors of idle connections; what matters reaches us through the migration's own promise.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  try {
    await runJobMigrations({ pgPool: pool })
  } finally {
    await pool.end()
  }
}
