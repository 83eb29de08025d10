import type { LogFolder } from './log-folder.ts'
import { type LogContent, listLogs, type Reach, readLog } from './read-logs.ts'

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

export const NO_RANGE =
  'No point in time can be restored yet. The first one is archived within a minute after the first base copy.'

/** Describes what can be restored from a log, and what cannot. */
export function describeLog({ log, reaches, faults }: LogContent, own?: string): string[] {
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

/** Describes why later times cannot be restored. Empty if the archive has no later segments. */
export function describeGap({ missing, damaged }: Pick<Reach, 'missing' | 'damaged'>): string {
  if (damaged !== undefined) return ` The segment ${damaged} after that is damaged.`
  return missing === undefined ? '' : ` The segment ${missing} is missing after that.`
}

export const readAll = (logs: readonly LogFolder[]): Promise<LogContent[]> => Promise.all(logs.map(readLog))

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
