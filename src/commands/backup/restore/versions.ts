import { listUnknownMigrations, migrationsDir } from '../../../platform/db/migrations/migrate.ts'
import { readMigrations } from '../../../platform/db/migrations/read-migrations.ts'
import type { EmbeddedPoolConfig } from '../../../platform/postgres/index.ts'
import { findBinaries } from '../../../platform/postgres/programs/binaries.ts'
import type { PresentVersions } from '../../../platform/postgres/recovery/require-versions.ts'
import { VERSION } from '../../../platform/version.ts'
import { CommandError } from '../../command-line/command-error.ts'

/** Reads which base copies this program can restore. */
export async function readPresentVersions(): Promise<PresentVersions> {
  const [migrations, { major }] = await Promise.all([readMigrations(migrationsDir), findBinaries()])
  return { program: VERSION, migrations: migrations.map(({ name }) => name), major }
}

/**
 * Checks that no newer version of Platen ran between the base copy and the point in time. This one would not restore files
 * to which only newer tables refer.
 *
 * @throws {CommandError}
 */
export async function requireKnownSchema(poolConfig: EmbeddedPoolConfig): Promise<void> {
  const unknown = await listUnknownMigrations(poolConfig)
  if (unknown.length === 0) return
  throw new CommandError(
    `The database of this time has a newer schema than this Platen ${VERSION} (${unknown.join(', ')}). Nothing was ` +
      'restored. Use the version of Platen that ran at this time, or a later one.',
  )
}
