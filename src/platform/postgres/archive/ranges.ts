import { stat } from 'node:fs/promises'
import { archiveFault } from './archive-fault.ts'
import { listLogs, type Reach, readReaches } from './read-logs.ts'

/** A time span of which each moment can be restored from one log. */
export interface Range {
  log: string
  from: Date
  until: Date
  /** Number of base copies in it. */
  bases: number
  /** The segment that is missing after `until` although there are later ones. */
  missing: string | undefined
}

/** Lists the time spans of an archive, oldest first. @throws EmbeddedPostgresError `archive_fault` */
export async function listRanges(archive: string): Promise<Range[]> {
  return rangesOf(await readAll(archive))
}

/**
 * Chooses the base copy from which a recovery to a time begins: the newest one that ended before.
 *
 * @param name the log, for an archive in which several logs have the time
 * @throws EmbeddedPostgresError `archive_fault` with the possible times
 */
export async function chooseReach(archive: string, at: Date, name?: string): Promise<Reach> {
  const all = (await readAll(archive)).filter(({ log }) => name === undefined || log.name === name)
  const fitting = all.filter(({ base, until }) => new Date(base.endedAt) <= at && until !== undefined && at <= until)
  const logs = new Set(fitting.map(({ log }) => log.name))
  if (logs.size > 1) {
    throw archiveFault(
      `${archive} has ${at.toISOString()} in several logs: ${[...logs].join(', ')}. Nothing was restored. Add --log with ` +
        'the one that you mean.',
    )
  }
  const newest = fitting.toSorted((a, b) => a.base.endedAt.localeCompare(b.base.endedAt)).at(-1)
  if (newest !== undefined) return newest
  const ranges = rangesOf(all).map(describeRange)
  const possible = ranges.length === 0 ? NO_RANGE : ranges.join(' ')
  throw archiveFault(
    `${archive} does not reach ${at.toISOString()}. Nothing was restored. ${possible} To restore the newest backup of a ` +
      'time or earlier, unset PLATEN_WAL_ARCHIVE.',
  )
}

export const NO_RANGE = 'No moment can be restored yet. The first ones are archived a minute after the first base copy.'

export function describeRange({ log, from, until, bases, missing }: Range): string {
  const copies = `${bases} base ${bases === 1 ? 'copy' : 'copies'}`
  const gap = missing === undefined ? '' : ` The segment ${missing} is missing after that.`
  return `Any moment from ${from.toISOString()} to ${until.toISOString()} (log ${log}, ${copies}).${gap}`
}

async function readAll(archive: string): Promise<Reach[]> {
  const found = await stat(archive).catch(() => undefined)
  if (found?.isDirectory() !== true) throw archiveFault(`The folder ${archive} of PLATEN_WAL_ARCHIVE does not exist.`)
  return (await Promise.all((await listLogs(archive)).map(readReaches))).flat()
}

function rangesOf(reaches: readonly Reach[]): Range[] {
  const ranges: Range[] = []
  for (const { log, base, until, missing } of reaches) {
    if (until === undefined) continue
    const from = new Date(base.endedAt)
    const last = ranges.at(-1)
    if (last?.log === log.name && from <= last.until) Object.assign(last, { until, missing, bases: last.bases + 1 })
    else ranges.push({ log: log.name, from, until, bases: 1, missing })
  }
  return ranges
}
