import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { VERSION } from '../../version.ts'
import { archiveFault } from '../archive/archive-fault.ts'
import { hasErrorCode } from '../programs/errors.ts'
import { namesIn } from '../programs/names-in.ts'
import { archivedName, readHeader } from './archived-file.ts'
import { type LogFolder, logFolder } from './log-folder.ts'
import { isSegment, nextSegment, segmentAt, segmentBefore } from './segments.ts'

/** A physical copy of a database, from which a recovery begins. */
export interface BaseCopy {
  format: 1
  id: string
  /** The version of Platen that made it. Earlier versions did not state it. */
  program?: string
  /** The names of the migrations of the database. */
  migrations?: readonly string[]
  /** Fingerprint of the secret that the database needs. Earlier versions did not state it. */
  secret?: string
  /** The major version of PostgreSQL. */
  major: number
  timeline: number
  startLsn: string
  stopLsn: string
  startedAt: string
  /** The first time to which a recovery can lead. */
  endedAt: string
  /** The file with the copy. */
  file: { sha256: string; bytes: number }
}

export const MANIFEST = 'manifest.json'
export const BASE_FILE = 'base.tar.zst'

/** A base copy, and how far the segments lead from it. */
export interface Reach {
  log: LogFolder
  base: BaseCopy
  /** The segments from the beginning of the copy to the last one before a gap. */
  segments: readonly string[]
  /** The last time to which a recovery can lead. Undefined: no segment leads to a time after the copy. */
  until: Date | undefined
  /** The first segment that is missing although there are later ones. */
  missing: string | undefined
  /** The segment after `until` whose file is damaged. */
  damaged: string | undefined
}

/** What a log contains. A damaged file must not make the others unusable. */
export interface LogContent {
  log: LogFolder
  /** Base copies and how far each one leads, oldest first. */
  reaches: Reach[]
  /** Messages about base copies that cannot be read. */
  faults: string[]
}

/**
 * Lists the logs of an archive by age, which their names contain.
 *
 * @throws EmbeddedPostgresError `archive_fault` if the folder cannot be read
 */
export async function listLogs(archive: string): Promise<LogFolder[]> {
  const names = await readdir(archive).catch((error: Error) => {
    throw archiveFault(`The folder ${archive} of PLATEN_WAL_ARCHIVE cannot be read: ${error.message}.`)
  })
  return names
    .filter((name) => /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[0-9a-f]{6}$/.test(name))
    .sort()
    .map((name) => logFolder(archive, name))
}

/** Reads the base copies of a log, and how far its segments lead. */
export async function readLog(log: LogFolder): Promise<LogContent> {
  const { bases, faults } = await readBases(log)
  const present = new Set(await listSegments(log))
  return { log, reaches: await Promise.all(bases.map((base) => findReach(log, base, present))), faults }
}

/**
 * Tells whether a log belongs to the installation that made these backups. A base copy has the id of the backup with
 * which it was made, and a place has the backups of one installation.
 */
export async function isLogOf(log: LogFolder, backups: ReadonlySet<string>): Promise<boolean> {
  return (await listBaseIds(log)).some((id) => backups.has(id))
}

/** Reads the manifests of the complete base copies, oldest first. */
export async function readBases(log: LogFolder): Promise<{ bases: BaseCopy[]; faults: string[] }> {
  const bases: BaseCopy[] = []
  const faults: string[] = []
  for (const id of await listBaseIds(log)) {
    const base = await readBase(join(log.bases, id)).catch((error: Error) => error)
    if (base instanceof Error) faults.push(base.message)
    else bases.push(base)
  }
  return { bases: bases.sort((a, b) => a.endedAt.localeCompare(b.endedAt)), faults }
}

/** Lists the complete base copies, whether their manifests can be read or not. */
export async function listBaseIds({ bases }: LogFolder): Promise<string[]> {
  return (await namesIn(bases)).filter((name) => !name.includes('.'))
}

async function readBase(path: string): Promise<BaseCopy> {
  let base: BaseCopy
  try {
    base = JSON.parse(await readFile(join(path, MANIFEST), 'utf8'))
  } catch (error) {
    // Another error, such as that of a disk, may pass.
    const isDamaged = error instanceof SyntaxError || hasErrorCode(error, 'ENOENT')
    const remedy = isDamaged ? ` Rename this folder to ${basename(path)}.damaged.` : ''
    throw archiveFault(`The manifest of the base copy ${path} cannot be read: ${(error as Error).message}.${remedy}`)
  }
  if (base.format === 1) return base
  const maker = base.program === undefined ? 'A newer version of Platen' : `Platen ${base.program}`
  throw archiveFault(
    `${maker} made the base copy ${path}, whose format this Platen ${VERSION} does not know. Use that version or a later one.`,
  )
}

/** Lists the names of the archived segments in their order. */
export async function listSegments({ segments }: LogFolder): Promise<string[]> {
  return (await listArchived({ segments })).filter(isSegment)
}

/** Lists the names of all archived files in their order. */
export async function listArchived({ segments }: Pick<LogFolder, 'segments'>): Promise<string[]> {
  const suffix = archivedName('')
  const names = (await namesIn(segments)).filter((name) => name.endsWith(suffix))
  return names.map((name) => name.slice(0, -suffix.length)).sort()
}

/** Reads when PostgreSQL wrote to the last segment of a log. Undefined if it has none. */
export async function readLastWrite(log: LogFolder): Promise<Date | undefined> {
  const last = (await listSegments(log)).at(-1)
  if (last === undefined) return undefined
  const header = await readHeader(log.segments, last).catch(() => undefined)
  if (header !== undefined) return new Date(header.writtenAt)
  return (await stat(join(log.segments, archivedName(last)))).mtime
}

async function findReach(log: LogFolder, base: BaseCopy, present: ReadonlySet<string>): Promise<Reach> {
  const segments: string[] = []
  let next = segmentAt(base.timeline, base.startLsn)
  for (; present.has(next); next = nextSegment(next)) segments.push(next)
  const { writtenAt, damaged } = await readEnd(log, segments)
  const [last = ''] = segments.slice(-1)
  const isComplete = last >= segmentBefore(base.timeline, base.stopLsn)
  const until = isComplete && writtenAt >= base.endedAt ? new Date(writtenAt) : undefined
  const isMissing = [...present].some((name) => name > next && isSameTimeline(name, next)) || !isComplete
  return { log, base, segments, until, missing: isMissing && damaged === undefined ? next : undefined, damaged }
}

/** Reads when the last segment was written. Removes damaged segments at the end, which end a reach as missing ones do. */
async function readEnd(
  log: LogFolder,
  segments: string[],
): Promise<{ writtenAt: string; damaged: string | undefined }> {
  for (let damaged: string | undefined; ; damaged = segments.pop()) {
    const last = segments.at(-1)
    if (last === undefined) return { writtenAt: '', damaged }
    const header = await readHeader(log.segments, last).catch(undefinedIfDamaged)
    if (header !== undefined) return { writtenAt: header.writtenAt, damaged }
  }
}

/** Only a damaged file ends a reach. One that cannot be read now, such as of another user, may be whole. */
function undefinedIfDamaged(error: unknown): undefined {
  if (!hasErrorCode(error, 'archive_fault')) throw error
}

const isSameTimeline = (one: string, other: string): boolean => one.slice(0, 8) === other.slice(0, 8)
