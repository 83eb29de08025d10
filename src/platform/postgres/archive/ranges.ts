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
  /** Parts whose secret is not known, oldest first. */
  locked: Span[]
}

interface Span {
  from: Date
  until: Date
}

/** The secrets with which a restore can open a database. */
export interface KnownSecrets {
  fingerprints: ReadonlySet<string>
  /** Where another secret is not, such as "in no backup of this place". */
  otherwise: string
}

/**
 * Describes what can be restored from an archive: one line for each time span, oldest first, and for each log without
 * one.
 *
 * @param own name of the log of the data folder in the settings
 */
export async function describeArchive(archive: string, own?: string, secrets?: KnownSecrets): Promise<string[]> {
  const contents = await readAll(await listLogs(archive))
  return contents.length === 0 ? [NO_RANGE] : contents.flatMap((content) => describeLog(content, own, secrets))
}

export const NO_RANGE =
  'No point in time can be restored yet. The first one is archived within a minute after the first base copy.'

/** Describes what can be restored from a log, and what cannot. */
export function describeLog({ log, reaches, faults }: LogContent, own?: string, secrets?: KnownSecrets): string[] {
  const owner = log.name === own ? ' of this data folder' : ''
  const ranges = rangesOf(reaches, secrets).map(
    (range) => describeRange(range, owner) + describeLocked(range.locked, secrets),
  )
  if (ranges.length > 0) return [...ranges, ...faults]
  const last = reaches.at(-1)
  const reason = describeFirst(reaches[0])
  const gap = last === undefined ? '' : describeGap(last)
  return [
    `No point in time can be restored yet from log ${log.name}${owner}. ${gap === '' ? reason : gap.trim()}`,
    ...faults,
  ]
}

/** Waiting does not make times before the first base copy possible. */
function describeFirst(first: Reach | undefined): string {
  if (first === undefined) return 'It has no base copy.'
  return `Its oldest base copy ended at ${first.base.endedAt}. Later times become possible within a minute, earlier ones never.`
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

function rangesOf(all: readonly Reach[], secrets?: KnownSecrets): Range[] {
  const groups: Reach[][] = []
  for (const reach of all) {
    // Nothing was archived after this base copy yet.
    const isNew = reach.until === undefined && reach.missing === undefined && reach.damaged === undefined
    const last = groups.at(-1)?.at(-1)
    if (isNew && last !== undefined) groups.at(-1)?.push({ ...reach, until: last.until })
    if (reach.until === undefined) continue
    if (last?.until !== undefined && new Date(reach.base.endedAt) <= last.until) groups.at(-1)?.push(reach)
    else groups.push([reach])
  }
  return groups.flatMap((group) => toRange(group, secrets) ?? [])
}

function toRange(group: readonly Reach[], secrets: KnownSecrets | undefined): Range | undefined {
  const [first, last] = [group[0], group.at(-1)]
  if (first === undefined || last?.until === undefined) return undefined
  const { until, missing, damaged } = last
  const locked = secrets === undefined ? [] : findLocked(group, until, secrets)
  return {
    log: first.log.name,
    from: new Date(first.base.endedAt),
    until,
    bases: group.length,
    missing,
    damaged,
    locked,
  }
}

/** Finds the spans between base copies of which a secret is unknown. Between two, the secret may have been replaced. */
function findLocked(group: readonly Reach[], end: Date, { fingerprints }: KnownSecrets): Span[] {
  const isLocked = (reach: Reach | undefined) =>
    reach?.base.secret !== undefined && !fingerprints.has(reach.base.secret)
  const spans: Span[] = []
  for (const [index, reach] of group.entries()) {
    const next = group[index + 1]
    if (!isLocked(reach) && !isLocked(next)) continue
    const [from, to] = [new Date(reach.base.endedAt), next === undefined ? end : new Date(next.base.endedAt)]
    const until = to < end ? to : end
    if (until < from) continue
    const last = spans.at(-1)
    if (last?.until.getTime() === from.getTime()) last.until = until
    else spans.push({ from, until })
  }
  return spans
}

function describeLocked(locked: readonly Span[], secrets: KnownSecrets | undefined): string {
  if (locked.length === 0 || secrets === undefined) return ''
  const times = locked.map(({ from, until }) => `from ${from.toISOString()} to ${until.toISOString()}`).join(', ')
  return ` Times ${times} may need a secret that is ${secrets.otherwise}: a restore to them then needs --without-secret.`
}
