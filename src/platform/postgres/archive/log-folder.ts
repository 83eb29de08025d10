import { randomBytes } from 'node:crypto'
import { chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDir } from '../../file-system/durable-files.ts'
import { hasErrorCode } from '../programs/errors.ts'
import type { Launch } from '../programs/launch.ts'

/**
 * The part of an archive that one database fills. A database that was created anew, restored or upgraded has a log of
 * its own, so that no two of them write files of the same names, and none continues the log of another.
 */
export interface LogFolder {
  name: string
  /** Segments of the write-ahead log. PostgreSQL writes them, so the folder belongs to its user. */
  segments: string
  /** Base copies of the database. */
  bases: string
}

/** The file of a data folder that names its log. A restored data folder has none. */
const markOf = (dataDir: string): string => join(dataDir, 'wal-archive.json')

export function logFolder(archive: string, name: string): LogFolder {
  return { name, segments: join(archive, name, 'wal'), bases: join(archive, name, 'bases') }
}

interface Place {
  dataDir: string
  cluster: string
}

interface Mark {
  log: string
  /** The identifier of the database, which a new cluster in the same data folder does not have. */
  system: string
  archive: string
}

/**
 * Reads which log a data folder names. Undefined if its database archives nowhere.
 */
export async function readOwnLog({ dataDir, cluster }: Place): Promise<Pick<Mark, 'log' | 'archive'> | undefined> {
  const system = await readSystem(cluster).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  })
  return system === undefined ? undefined : readMark(dataDir, system)
}

/** Finds the log of a data folder. Undefined if its database does not archive to this folder. */
export async function findLog(archive: string, { dataDir, cluster }: Place): Promise<LogFolder | undefined> {
  const mark = await readMark(dataDir, await readSystem(cluster))
  if (mark === undefined) return undefined
  const log = logFolder(archive, mark.log)
  return (await isThere(log.segments)) ? log : undefined
}

/**
 * Returns the log of a data folder. Begins a new one if the database has none in this archive.
 *
 * @throws Error if the log was in this archive before, because its disk is probably not mounted
 */
export async function openLog(archive: string, place: Place & { launch: Launch }): Promise<LogFolder> {
  const found = await findLog(archive, place)
  if (found !== undefined) return found
  const system = await readSystem(place.cluster)
  const mark = await readMark(place.dataDir, system)
  if (mark?.archive === archive) {
    throw new Error(
      `it lacks the log ${mark.log} of this database. Mount its disk, or delete ${markOf(place.dataDir)} to begin a new log`,
    )
  }
  const name = `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z-${randomBytes(3).toString('hex')}`
  const log = logFolder(archive, name)
  // If this process runs as root, PostgreSQL runs as another user, which must pass through the folders.
  await mkdir(archive, { recursive: true, mode: 0o711 })
  await mkdir(join(archive, name), { mode: 0o711 })
  await mkdir(log.bases, { mode: 0o700 })
  await mkdir(log.segments, { mode: 0o700 })
  const { owner } = place.launch
  if (owner !== undefined) await chown(log.segments, owner.uid, owner.gid)
  await syncDir(archive)
  const begun: Mark = { log: name, system, archive }
  await writeFile(markOf(place.dataDir), JSON.stringify(begun), { mode: 0o600, flush: true })
  await syncDir(place.dataDir)
  return log
}

/**
 * Ends the log of a data folder, because its server starts without an archive: what it writes then would be missing in
 * the middle of the log.
 */
export async function closeLog(dataDir: string): Promise<void> {
  if (!(await isThere(markOf(dataDir)))) return
  await rm(markOf(dataDir), { force: true })
  await syncDir(dataDir)
}

/** Counts the segments of a cluster that wait to be archived. PostgreSQL marks each one with a file. */
export async function countWaiting(cluster: string): Promise<number> {
  const names = await readdir(join(cluster, 'pg_wal', 'archive_status'))
  return names.filter((name) => name.endsWith('.ready')).length
}

async function readMark(dataDir: string, system: string): Promise<Mark | undefined> {
  try {
    const mark: Mark = JSON.parse(await readFile(markOf(dataDir), 'utf8'))
    return mark.system === system ? mark : undefined
  } catch (error) {
    // A power failure can leave an empty file.
    if (hasErrorCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Reads the identifier that initdb gave to a cluster, with which `pg_control` begins (src/include/catalog/pg_control.h). */
async function readSystem(cluster: string): Promise<string> {
  return (await readFile(join(cluster, 'global', 'pg_control'))).readBigUInt64LE(0).toString()
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (hasErrorCode(error, 'ENOENT')) return false
      throw error
    },
  )
}
