import type { EmbeddedPostgresError } from '../programs/errors.ts'
import { archiveFault } from './archive-fault.ts'
import type { LogFolder } from './log-folder.ts'
import { describeGap, describeLog, NO_RANGE, readAll } from './ranges.ts'
import { isLogOf, type LogContent, listLogs, type Reach, readLastWrite, readLog } from './read-logs.ts'

export interface LogChoice {
  archive: string
  /** Ids of the backups of the installation to restore. Without `log`, only its logs are read. */
  backups: ReadonlySet<string>
  /** Name of the log. */
  log?: string | undefined
}

/** Base copies of one log from which a recovery to a time can begin, newest first. */
type Reaches = [Reach, ...Reach[]]

/**
 * Finds the base copies from which a recovery to a time can begin, newest first. They all belong to one log.
 *
 * @throws EmbeddedPostgresError `archive_fault` with the possible times
 */
export async function chooseReaches({ at, ...choice }: LogChoice & { at: Date }): Promise<Reaches> {
  const { contents, others } = await readChosen(choice)
  const found = pickReaches(choice.archive, contents, at)
  if (found !== undefined) return found
  const foreign = choice.log === undefined ? describeForeign(await readAll(others), at) : []
  throw nothingToRestore(`${choice.archive} does not have ${at.toISOString()}.`, contents, foreign)
}

export interface LatestChoice {
  at: Date
  reaches: Reaches
  /** Lines for the operator about base copies that cannot be read, and about later changes, which are not restored. */
  notes: string[]
}

/**
 * Finds the last point in time that can be restored, and the base copies from which a recovery to it can begin.
 *
 * @throws EmbeddedPostgresError `archive_fault` if there is none
 */
export async function chooseLatest(choice: LogChoice): Promise<LatestChoice> {
  const { contents, others } = await readChosen(choice)
  const ends = contents.flatMap(({ reaches }) => reaches.flatMap(({ until }) => until ?? []))
  const at = ends.reduce<Date | undefined>((last, end) => (last === undefined || end > last ? end : last), undefined)
  const reaches = at === undefined ? undefined : pickReaches(choice.archive, contents, at)
  const unnamed = choice.log === undefined ? others : []
  if (at === undefined || reaches === undefined) {
    const foreign = await describeLater(unnamed, new Date(0))
    throw nothingToRestore(`${choice.archive} has no point in time of this installation.`, contents, foreign)
  }
  const [{ log: chosen, ...end }] = reaches
  const unchosen = [...contents.map(({ log }) => log), ...unnamed].filter(({ name }) => name !== chosen.name)
  const faults = contents.flatMap((content) => content.faults)
  const notes = [describeGap(end).trim(), ...faults, ...(await describeLater(unchosen, at))]
  return { at, reaches, notes: notes.filter((line) => line !== '') }
}

/** Reads the logs from which may be restored, and lists the other ones. */
async function readChosen({
  archive,
  backups,
  log: name,
}: LogChoice): Promise<{ contents: LogContent[]; others: LogFolder[] }> {
  const logs = await listLogs(archive)
  if (name !== undefined && !logs.some((log) => log.name === name)) {
    throw archiveFault(`${archive} has no log ${name}. It has: ${logs.map((log) => log.name).join(', ')}.`)
  }
  const owned = await Promise.all(logs.map((log) => (name === undefined ? isLogOf(log, backups) : log.name === name)))
  return {
    contents: await readAll(logs.filter((_, index) => owned[index])),
    others: logs.filter((_, index) => owned[index] === false),
  }
}

/** @throws EmbeddedPostgresError `archive_fault` if several logs have the time */
function pickReaches(archive: string, contents: readonly LogContent[], at: Date): Reaches | undefined {
  const fitting = leadingTo(contents, at)
  const names = new Set(fitting.map(({ log }) => log.name))
  if (names.size > 1) {
    throw archiveFault(
      `${archive} has ${at.toISOString()} in several logs: ${[...names].join(', ')}. Nothing was restored. Add --log with ` +
        'the one that you mean.',
    )
  }
  const [newest, ...others] = fitting.toReversed()
  return newest === undefined ? undefined : [newest, ...others]
}

function nothingToRestore(
  reason: string,
  contents: readonly LogContent[],
  foreign: readonly string[],
): EmbeddedPostgresError {
  return archiveFault(
    [
      `${reason} Nothing was restored.`,
      ...(contents.length === 0 ? [NO_RANGE] : contents.flatMap((content) => describeLog(content))),
      ...foreign,
      'To restore the newest backup of a time or earlier, unset PLATEN_WAL_ARCHIVE.',
    ].join(' '),
  )
}

/** Describes logs with changes after a time, such as that of a restored database that has no base copy yet. */
async function describeLater(logs: readonly LogFolder[], at: Date): Promise<string[]> {
  // Another log must not keep the chosen one from being restored.
  const describe = (log: LogFolder) =>
    describeChangesAfter(at, log).catch((error: Error) => `The log ${log.name} cannot be read: ${error.message}.`)
  const lines = await Promise.all(logs.map(describe))
  return lines.filter((line) => line !== undefined)
}

async function describeChangesAfter(at: Date, log: LogFolder): Promise<string | undefined> {
  const last = await readLastWrite(log)
  if (last === undefined || last <= at) return undefined
  const { reaches } = await readLog(log)
  const reason = reaches.some(({ until }) => until !== undefined)
    ? 'No backup of this place belongs to it. If it is a log of this installation, add --log.'
    : 'It has no base copy from which a restore could begin.'
  return `The log ${log.name} has changes until ${last.toISOString()}, which are not restored. ${reason}`
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
