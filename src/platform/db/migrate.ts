import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runMigrations as runJobMigrations } from 'graphile-worker'
import pg from 'pg'
import type { Log } from '../log.ts'
import { LOCKS } from './locks.ts'

const MIGRATIONS_DIR = join(import.meta.dirname, '../../../migrations')

interface Migration {
  name: string
  sql: string
  sha256: string
}

/**
 * Brings the database to the newest schema: each file of `migrations/` once, in order, each in a transaction of its own.
 * Several processes may start at once; one migrates, the others wait.
 *
 * @throws when a file that was applied has changed since, or the database is newer than this program
 */
export async function migrate(settings: pg.PoolConfig, log: Log): Promise<void> {
  const client = new pg.Client(settings)
  // Without a listener a connection that breaks would end the process; the query in hand fails anyway.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [LOCKS.migration])
    await client.query(
      'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    )
    const migrations = await readMigrations()
    const applied = await readApplied(client)
    const refusal = newerThan(migrations, applied)
    if (refusal !== undefined) throw new Error(refusal)
    for (const migration of migrations) await apply(client, migration, applied.get(migration.name), log)
    await migrateJobs(settings)
  } finally {
    await client.end()
  }
}

/**
 * Whether a database has the schema that this program works with. Changes nothing.
 *
 * @returns what is the matter and what to do; undefined when it has
 */
export async function findSchemaMismatch(settings: pg.PoolConfig): Promise<string | undefined> {
  const client = new pg.Client(settings)
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ isEmpty: boolean }>(
      `select to_regclass('schema_migrations') is null as "isEmpty"`,
    )
    if (rows[0]?.isEmpty === true) {
      return 'The database was not set up yet. Start the service on it first, or run "platen migrate".'
    }
    const migrations = await readMigrations()
    const applied = await readApplied(client)
    return newerThan(migrations, applied) ?? olderThan(migrations, applied)
  } finally {
    await client.end()
  }
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(MIGRATIONS_DIR)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(MIGRATIONS_DIR, name), 'utf8')
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations')
  return new Map(rows.map((row) => [row.name, row.sha256]))
}

function newerThan(migrations: Migration[], applied: Map<string, string>): string | undefined {
  const known = new Set(migrations.map((migration) => migration.name))
  const unknown = [...applied.keys()].filter((name) => !known.has(name))
  if (unknown.length === 0) return undefined
  return `The database was migrated by a newer version of Platen (${unknown.join(', ')}). Use that version or a later one.`
}

function olderThan(migrations: Migration[], applied: Map<string, string>): string | undefined {
  const missing = migrations.filter(({ name, sha256 }) => applied.get(name) !== sha256)
  if (missing.length === 0) return undefined
  return (
    `The database is not that of this version of Platen (${missing.map(({ name }) => name).join(', ')}). ` +
    'Start this version of the service on it first, or run "platen migrate".'
  )
}

async function apply(
  client: pg.Client,
  migration: Migration,
  appliedHash: string | undefined,
  log: Log,
): Promise<void> {
  if (appliedHash === migration.sha256) return
  if (appliedHash !== undefined) {
    throw new Error(
      `migrations/${migration.name} has changed since it was applied. Applied migrations are never edited: add a new one.`,
    )
  }
  await client.query('begin')
  try {
    await client.query(migration.sql)
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [
      migration.name,
      migration.sha256,
    ])
    await client.query('commit')
  } catch (error) {
    // On a broken connection this fails too, and must not hide why.
    await client.query('rollback').catch(() => undefined)
    throw new Error(`migrations/${migration.name} failed: ${(error as Error).message}`, { cause: error })
  }
  log.info({ migration: migration.name }, 'migrated')
}

/** The job queue brings its own schema. */
async function migrateJobs(settings: pg.PoolConfig): Promise<void> {
  const pool = new pg.Pool({ ...settings, max: 2 })
  // Errors of idle connections; what matters reaches us through the migration's own promise.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  try {
    await runJobMigrations({ pgPool: pool })
  } finally {
    await pool.end()
  }
}
