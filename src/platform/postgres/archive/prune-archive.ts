import { readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDir } from '../../file-system/durable-files.ts'
import { archivedName } from './archived-file.ts'
import { findRelated, recordRelated } from './earlier-logs.ts'
import { findLog, type LogFolder } from './log-folder.ts'
import {
  type BaseCopy,
  isLogOf,
  listArchived,
  listBaseIds,
  listLogs,
  readBases,
  readLastWrite,
  readLog,
} from './read-logs.ts'
import { segmentAt } from './segments.ts'

export interface PruneArchiveOptions {
  archive: string
  /** The data folder whose database archives here, and its cluster. */
  dataDir: string
  cluster: string
  /** Ids of the backups of this installation. Logs of other installations stay. */
  backups: ReadonlySet<string>
  /** Each point in time from this one on stays. */
  since: Date
  dryRun: boolean
}

/** What was removed, or would be with `dryRun`. */
export interface PrunedArchive {
  /** Whether the log of the data folder has a base copy that can be restored. Otherwise, nothing is removed. */
  hasCopy: boolean
  /** Numbers of base copies and segments, with those of `logs`. */
  bases: number
  segments: number
  /** Names of logs that other databases of this installation filled, such as the one before a restore. */
  logs: readonly string[]
  /** Logs that ended, and stay because nothing shows that they belong to this installation. */
  foreign: readonly EndedLog[]
  /** Messages about base copies that cannot be read, and stay. */
  faults: readonly string[]
}

interface EndedLog {
  name: string
  bases: number
  segments: number
}

/** A folder that is being removed. It does not count as a base copy. */
const REMOVED_SUFFIX = '.removed'

/**
 * Removes base copies, segments and logs that no restore to a point in time since `since` needs. Base copies are removed before
 * their segments, so that a killed run leaves none without segments, and the next run completes it.
 */
export async function pruneArchive(options: PruneArchiveOptions): Promise<PrunedArchive> {
  const { archive, dryRun } = options
  const plan = await planPruning(options)
  const { faults } = plan
  if (!plan.hasCopy) return { hasCopy: false, bases: 0, segments: 0, logs: [], foreign: [], faults }
  const { own, bases, segments, logs, foreign, related } = plan
  const [ended, unknown] = [await Promise.all(logs.map(measure)), await Promise.all(foreign.map(measure))]
  if (!dryRun) {
    await recordRelated(own, related)
    for (const folder of [archive, own.bases]) await removeRest(folder)
    for (const { id } of bases) await removeFolder(join(own.bases, id))
    for (const name of segments) await rm(join(own.segments, archivedName(name)))
    for (const log of logs) await removeFolder(dirname(log.bases))
  }
  return {
    hasCopy: true,
    bases: ended.reduce((sum, log) => sum + log.bases, bases.length),
    segments: ended.reduce((sum, log) => sum + log.segments, segments.length),
    logs: ended.map(({ name }) => name),
    foreign: unknown,
    faults,
  }
}

/**
 * Returns the first point in time of this installation that remains after `pruneArchive` with the same options. Undefined:
 * no base copy remains.
 */
export async function findFirstPoint(options: PruneArchiveOptions): Promise<Date | undefined> {
  const plan = await planPruning(options)
  // A base copy that cannot be read now may be the oldest one.
  if (plan.faults.length > 0) return new Date(0)
  const others = await listStaying(plan, options)
  const bases = (await Promise.all(others.map(readBases))).flatMap((read) => read.bases)
  const [first] = [...bases, ...plan.staying].map(({ endedAt }) => endedAt).sort()
  return first === undefined ? undefined : new Date(first)
}

/** Lists the other logs of the installation that stay. */
async function listStaying(plan: Plan, { archive, backups }: PruneArchiveOptions): Promise<LogFolder[]> {
  const all = await listLogs(archive)
  if (plan.hasCopy) {
    const removed = new Set(plan.logs.map(({ name }) => name))
    return all.filter(({ name }) => plan.related.includes(name) && !removed.has(name))
  }
  const related = plan.own === undefined ? undefined : await findRelated(plan.own, all, backups)
  const owned = await Promise.all(all.map((log) => related?.has(log.name) ?? isLogOf(log, backups)))
  return all.filter((_, index) => owned[index])
}

type Plan = { staying: BaseCopy[]; faults: string[] } & (
  | { hasCopy: false; own: LogFolder | undefined }
  | ({ hasCopy: true; own: LogFolder; bases: BaseCopy[]; segments: string[] } & Ended)
)

/** Determines what is to be removed. */
async function planPruning(options: PruneArchiveOptions): Promise<Plan> {
  const own = await findLog(options.archive, options)
  const { bases: all, faults } = own === undefined ? { bases: [], faults: [] } : await readBases(own)
  const oldest = own === undefined ? undefined : await findOldestKept(own, options.since)
  // Without a base copy of its own, other logs are the only ones with a past.
  if (own === undefined || oldest === undefined) return { hasCopy: false, own, staying: all, faults }
  // A copy that cannot be read now may be the one that the oldest points in time need.
  const isCertain = faults.length === 0
  const bases = isCertain ? all.filter(({ endedAt }) => endedAt < oldest.endedAt) : []
  const staying = all.filter((base) => !bases.includes(base))
  const first = firstNeeded(staying)
  const isOld = (name: string) => /^[0-9A-F]{24}/.test(name) && name.slice(0, 24) < first
  const segments = isCertain ? (await listArchived(own)).filter(isOld) : []
  return { hasCopy: true, own, bases, staying, segments, faults, ...(await findEnded(own, options)) }
}

/**
 * Returns the first segment that one of the base copies needs. Two copies may be made at a time, so that the one that ends
 * later may have begun earlier.
 */
function firstNeeded(bases: readonly BaseCopy[]): string {
  return bases.map(({ timeline, startLsn }) => segmentAt(timeline, startLsn)).sort()[0] ?? ''
}

async function measure(log: LogFolder): Promise<EndedLog> {
  const [bases, segments] = await Promise.all([listBaseIds(log), listArchived(log)])
  return { name: log.name, bases: bases.length, segments: segments.length }
}

/** Finds the newest base copy before the time, or else the oldest one. Only those count that can be restored. */
async function findOldestKept(log: LogFolder, since: Date): Promise<BaseCopy | undefined> {
  const usable = (await readLog(log)).reaches.filter(({ until }) => until !== undefined).map(({ base }) => base)
  return usable.findLast(({ endedAt }) => new Date(endedAt) <= since) ?? usable[0]
}

interface Ended {
  logs: LogFolder[]
  foreign: LogFolder[]
  /** Names of all other logs of this installation. */
  related: string[]
}

/** Finds the other logs to which nothing was archived since the time. */
async function findEnded(own: LogFolder, { archive, backups, since }: PruneArchiveOptions): Promise<Ended> {
  const ended: Ended = { logs: [], foreign: [], related: [] }
  const all = await listLogs(archive)
  const related = await findRelated(own, all, backups)
  for (const log of all) {
    if (log.name === own.name) continue
    const hasEnded = ((await readLastWrite(log)) ?? begunAt(log)) < since
    const isRelated = related.has(log.name)
    if (isRelated) ended.related.push(log.name)
    if (hasEnded) ended[isRelated ? 'logs' : 'foreign'].push(log)
  }
  return ended
}

/** Returns the time with which the name of a log begins, such as 2026-11-28T12-00-00Z. */
function begunAt({ name }: LogFolder): Date {
  return new Date(name.slice(0, 20).replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'))
}

/** Removes what a killed run left. */
async function removeRest(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith(REMOVED_SUFFIX)) await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function removeFolder(path: string): Promise<void> {
  await rename(path, `${path}${REMOVED_SUFFIX}`)
  await syncDir(dirname(path))
  await rm(`${path}${REMOVED_SUFFIX}`, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 })
}
