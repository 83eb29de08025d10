import { archiveFault } from './archive-fault.ts'
import type { LogFolder } from './log-folder.ts'
import { isLogOf, type LogContent, listLogs, type Reach, readLog } from './read-logs.ts'

/** A time span of which each point in time can be restored from one log. */
interface Range {
  log: string
  from: Date
  until: Date
  /** Number of base copies in it. */
  bases: number
  /** The segment that is missing after `until` although there are later ones. */
  missing: string | undefined
  /** The segment after `until` whose file is damaged. */
  damaged: string | undefined
}

/**
 * Describes what can be restored from an archive: one line for each time span, oldest first, and for each log without
 * one.
 *
 * @param own name of the log of the data folder in the settings
 */
export async function describeArchive(archive: string, own?: string): Promise<string[]> {
  const contents = await readAll(await listLogs(archive))
  return contents.length === 0 ? [NO_RANGE] : contents.flatMap((content) => describeLog(content, own))
}

export interface ReachChoice {
  archive: string
  at: Date
  /** Ids of the backups of the installation to restore. Without `log`, only its logs are read. */
  backups: ReadonlySet<string>
  /** Name of the log. */
  log?: string | undefined
}

/**
 * Finds the base copies from which a recovery to a time can begin, newest first. They all belong to one log.
 *
 * @throws EmbeddedPostgresError `archive_fault` with the possible times
 */
export async function chooseReaches({ archive, at, backups, log: name }: ReachChoice): Promise<[Reach, ...Reach[]]> {
  const logs = await listLogs(archive)
  if (name !== undefined && !logs.some((log) => log.name === name)) {
    throw archiveFault(`${archive} has no log ${name}. It has: ${logs.map((log) => log.name).join(', ')}.`)
  }
  const owned = await Promise.all(logs.map((log) => (name === undefined ? isLogOf(log, backups) : log.name === name)))
  const contents = await readAll(logs.filter((_, index) => owned[index]))
  const fitting = leadingTo(contents, at)
  const names = new Set(fitting.map(({ log }) => log.name))
  if (names.size > 1) {
    throw archiveFault(
      `${archive} has ${at.toISOString()} in several logs: ${[...names].join(', ')}. Nothing was restored. Add --log with ` +
        'the one that you mean.',
    )
  }
  const [newest, ...others] = fitting.toReversed()
  if (newest !== undefined) return [newest, ...others]
  const foreign = await readAll(logs.filter((_, index) => owned[index] === false))
  throw archiveFault(
    [
      `${archive} does not have ${at.toISOString()}. Nothing was restored.`,
      ...(contents.length === 0 ? [NO_RANGE] : contents.flatMap((content) => describeLog(content))),
      ...(name === undefined ? describeForeign(foreign, at) : []),
      'To restore the newest backup of a time or earlier, unset PLATEN_WAL_ARCHIVE.',
    ].join(' '),
  )
}

/** Lists the base copies from which a recovery leads to a time, oldest first. */
function leadingTo(contents: readonly LogContent[], at: Date): Reach[] {
  const reaches = contents.flatMap((content) => content.reaches)
  return reaches.filter(({ base, until }) => new Date(base.endedAt) <= at && until !== undefined && at <= until)
}

function describeForeign(contents: readonly LogContent[], at: Date): string[] {
  const names = new Set(leadingTo(contents, at).map(({ log }) => log.name))
  if (names.size === 0) return []
  return [
    `This time is in ${[...names].join(', ')}, but no backup of this place belongs to that log. If it is a log of this ` +
      'installation, add --log.',
  ]
}

const NO_RANGE =
  'No point in time can be restored yet. The first one is archived within a minute after the first base copy.'

function describeLog({ log, reaches, faults }: LogContent, own?: string): string[] {
  const owner = log.name === own ? ' of this data folder' : ''
  const ranges = rangesOf(reaches).map((range) => describeRange(range, owner))
  if (ranges.length > 0) return [...ranges, ...faults]
  const last = reaches.at(-1)
  const reason = last === undefined ? 'It has no base copy.' : 'Changes are archived within a minute.'
  const gap = last === undefined ? '' : describeGap(last)
  return [
    `No point in time can be restored yet from log ${log.name}${owner}. ${gap === '' ? reason : gap.trim()}`,
    ...faults,
  ]
}

function describeRange({ log, from, until, bases, ...end }: Range, owner: string): string {
  const copies = `${bases} base ${bases === 1 ? 'copy' : 'copies'}`
  const span = `from ${from.toISOString()} to ${until.toISOString()}`
  return `Any point in time ${span} can be restored (log ${log}${owner}, ${copies}).${describeGap(end)}`
}

function describeGap({ missing, damaged }: Pick<Reach, 'missing' | 'damaged'>): string {
  if (damaged !== undefined) return ` The segment ${damaged} after that is damaged.`
  return missing === undefined ? '' : ` The segment ${missing} is missing after that.`
}

const readAll = (logs: readonly LogFolder[]): Promise<LogContent[]> => Promise.all(logs.map(readLog))

function rangesOf(all: readonly Reach[]): Range[] {
  const ranges: Range[] = []
  for (const { log, base, until, missing, damaged } of all) {
    if (until === undefined) continue
    const from = new Date(base.endedAt)
    const last = ranges.at(-1)
    if (last?.log === log.name && from <= last.until) {
      Object.assign(last, { until, missing, damaged, bases: last.bases + 1 })
    } else ranges.push({ log: log.name, from, until, bases: 1, missing, damaged })
  }
  return ranges
}
