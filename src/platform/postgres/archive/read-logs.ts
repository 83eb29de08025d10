import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { archiveFault } from '../archive/archive-fault.ts'
import { hasErrorCode } from '../programs/errors.ts'
import { archivedName, readHeader } from './archived-file.ts'
import { type LogFolder, logFolder } from './log-folder.ts'
import { isSegment, nextSegment, segmentAt, segmentBefore } from './segments.ts'

/** A physical copy of a database, from which a recovery begins. */
export interface BaseCopy {
  format: 1
  id: string
  /** The major version of PostgreSQL. */
  major: number
  timeline: number
  startLsn: string
  stopLsn: string
  startedAt: string
  /** The first moment to which a recovery can lead. */
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
  /** The last moment to which a recovery can lead. Undefined: no segment leads to a moment after the copy. */
  until: Date | undefined
  /** The first segment that is missing although there are later ones. */
  missing: string | undefined
}

/** Lists the logs of an archive by age, which their names contain. */
export async function listLogs(archive: string): Promise<LogFolder[]> {
  const names = await readdir(archive)
  return names
    .filter((name) => /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[0-9a-f]{6}$/.test(name))
    .sort()
    .map((name) => logFolder(archive, name))
}

/** Lists the base copies of a log and how far each one leads, oldest first. */
export async function readReaches(log: LogFolder): Promise<Reach[]> {
  const bases = await listBases(log)
  const present = new Set(await listSegments(log))
  return Promise.all(bases.map((base) => findReach(log, base, present)))
}

/** Lists the complete base copies, oldest first. */
export async function listBases({ bases }: LogFolder): Promise<BaseCopy[]> {
  const found: BaseCopy[] = []
  for (const name of (await listNames(bases)).filter((one) => !one.includes('.'))) {
    found.push(decodeBase(await readFile(join(bases, name, MANIFEST), 'utf8'), join(bases, name)))
  }
  return found.sort((a, b) => a.endedAt.localeCompare(b.endedAt))
}

function decodeBase(text: string, path: string): BaseCopy {
  try {
    const base: BaseCopy = JSON.parse(text)
    if (base.format === 1) return base
  } catch {
    throw archiveFault(`The manifest of the base copy ${path} is damaged. Remove this folder.`)
  }
  throw archiveFault(`A newer version of Platen made the base copy ${path}. Use that version or a later one.`)
}

/** Lists the names of the archived segments in their order. */
export async function listSegments({ segments }: LogFolder): Promise<string[]> {
  return (await listArchived({ segments })).filter(isSegment)
}

/** Lists the names of all archived files in their order. */
export async function listArchived({ segments }: Pick<LogFolder, 'segments'>): Promise<string[]> {
  const suffix = archivedName('')
  const names = (await listNames(segments)).filter((name) => name.endsWith(suffix))
  return names.map((name) => name.slice(0, -suffix.length)).sort()
}

async function findReach(log: LogFolder, base: BaseCopy, present: ReadonlySet<string>): Promise<Reach> {
  const segments: string[] = []
  let next = segmentAt(base.timeline, base.startLsn)
  for (; present.has(next); next = nextSegment(next)) segments.push(next)
  const [last = ''] = segments.slice(-1)
  const isComplete = last >= segmentBefore(base.timeline, base.stopLsn)
  const writtenAt = isComplete ? (await readHeader(log.segments, last)).writtenAt : ''
  const until = writtenAt >= base.endedAt ? new Date(writtenAt) : undefined
  const missing = [...present].some((name) => name > next && isSameTimeline(name, next)) || !isComplete
  return { log, base, segments, until, missing: missing ? next : undefined }
}

const isSameTimeline = (one: string, other: string): boolean => one.slice(0, 8) === other.slice(0, 8)

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return []
    throw error
  }
}
