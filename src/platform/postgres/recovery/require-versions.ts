import { archiveFault } from '../archive/archive-fault.ts'
import type { BaseCopy } from '../archive/read-logs.ts'

/** What this program can restore. */
export interface PresentVersions {
  /** The version of Platen. */
  program: string
  /** The names of the migrations that it knows. */
  migrations: readonly string[]
  /** The major version of PostgreSQL. */
  major: number
}

/**
 * Checks that this program can restore a base copy. A copy of an earlier format does not state who made it.
 *
 * @throws EmbeddedPostgresError `archive_fault` if a newer version of Platen or another one of PostgreSQL made it
 */
export function requireVersions(base: BaseCopy, present: PresentVersions): void {
  const unknown = (base.migrations ?? []).filter((name) => !present.migrations.includes(name))
  const remedies: string[] = []
  if (unknown.length > 0) {
    remedies.push(
      `Its schema is newer (${unknown.join(', ')}). Use the version of Platen that made it, or a later one.`,
    )
  }
  if (base.major !== present.major) remedies.push(`Use a version of Platen with PostgreSQL ${base.major}.`)
  if (base.major < present.major) remedies.push('Or restore a backup, without --at and PLATEN_WAL_ARCHIVE.')
  if (remedies.length === 0) return
  const maker = base.program === undefined ? '' : `Platen ${base.program} with `
  throw archiveFault(
    [
      `${maker}PostgreSQL ${base.major} made the base copy ${base.id}, which this Platen ${present.program} with PostgreSQL ` +
        `${present.major} cannot restore. Nothing was restored.`,
      ...remedies,
    ].join(' '),
  )
}
