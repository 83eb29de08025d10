import type pg from 'pg'
import { migrationsDir } from '../../db/migrations/migrate.ts'
import { readMigrations } from '../../db/migrations/read-migrations.ts'
import { isUnfinishedRestore } from '../../db/migrations/unfinished-restore.ts'
import { withClient } from '../../db/with-client.ts'
import { BackupError } from '../format/backup-error.ts'
import type { Manifest } from '../format/manifest.ts'

/**
 * Checks that this program knows every migration of a backup.
 *
 * @throws {BackupError} if a newer version of the program made the backup
 */
export async function requireKnownMigrations(
  { id, program, database }: Manifest,
  dir: string = migrationsDir,
): Promise<void> {
  const known = await readKnown(dir)
  const unknown = listUnknown(database, known)
  if (unknown !== '') {
    throw new BackupError(
      `The backup ${id} has a newer schema than this version of Platen (${unknown}). ` +
        `Restore it with version ${program} or a later one.`,
    )
  }
  const changed = database.migrations.find(({ name, sha256 }) => known.get(name) !== sha256)
  if (changed !== undefined) {
    throw new BackupError(`The backup ${id} was made by a program with another migrations/${changed.name}.`)
  }
}

/**
 * Checks that this program knows every migration of a database that is to be copied.
 *
 * @throws {BackupError} if a newer version of the program ran on the database
 */
export async function requireKnownSchema(database: Manifest['database']): Promise<void> {
  const unknown = listUnknown(database, await readKnown(migrationsDir))
  if (unknown === '') return
  throw new BackupError(
    `The database has a newer schema than this version of Platen (${unknown}). Nothing was copied. Use the version that ` +
      'ran on it last, or a later one.',
  )
}

async function readKnown(dir: string): Promise<Map<string, string>> {
  return new Map((await readMigrations(dir)).map(({ name, sha256 }) => [name, sha256]))
}

function listUnknown({ migrations }: Manifest['database'], known: ReadonlyMap<string, string>): string {
  const unknown = migrations.filter(({ name }) => !known.has(name))
  return unknown.map(({ name }) => name).join(', ')
}

/**
 * Checks that a database contains nothing, or only what an interrupted restore left.
 *
 * @throws {BackupError} if the database contains tables
 */
export async function requireEmptyDatabase(settings: pg.PoolConfig): Promise<void> {
  await withClient(settings, async (client) => {
    if (await isUnfinishedRestore(client)) return
    const { rows } = await client.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'v', 'm', 'S') and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
       order by 1 limit 1`,
    )
    const { [0]: found } = rows
    if (found === undefined) return
    throw new BackupError(
      `The database is not empty (${found.name}). Nothing was changed. Create a new database and set PLATEN_DATABASE_URL to it.`,
    )
  })
}
