import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { archiveFault } from '../archive/archive-fault.ts'
import { archivedName, readArchived, readHeader } from '../archive/archived-file.ts'
import { restoreCommand } from '../archive/archiving.ts'
import type { LogFolder } from '../archive/log-folder.ts'
import type { Reach } from '../archive/read-logs.ts'
import { segmentBefore } from '../archive/segments.ts'
import { connectAsSuperuser } from '../claim.ts'
import { ensureCluster } from '../cluster.ts'
import { type Postmaster, startPostmaster, stopServer, waitUntilReady } from '../postmaster.ts'
import { hasErrorCode } from '../programs/errors.ts'
import { signal } from '../programs/processes.ts'
import { clusterFolder, prepareSite, releaseSite, type Site } from '../site.ts'
import { addressOf, type EmbeddedPoolConfig } from '../supervisor.ts'
import { recoveryFailure } from './recovery-failure.ts'
import { unpackBaseCopy } from './unpack.ts'

export interface RecoveryOptions {
  /** A new data folder without a database. */
  dataDir: string
  /** Base copies that ended before `at`, with segments that lead to `at`. If the first one is damaged, the next one is used. */
  reaches: readonly [Reach, ...Reach[]]
  /** The point in time, or `latest` for that of the last undamaged segment. */
  at: Date | 'latest'
  report(line: string): void
}

export interface Recovered {
  poolConfig: EmbeddedPoolConfig
  /** The point in time of the database. */
  at: Date
  /** When the last transaction of the recovery was committed. Undefined if there was none after the base copy. */
  lastCommitAt: Date | undefined
}

/** The folder of the cluster with the segments of the recovery. PostgreSQL runs in the folder of the cluster. */
const STAGED = 'platen-restore'
const CONNECTIONS = 20

/** The archive has no transaction after the time, so that the end of the archive is the state of that time. */
const NOTHING_LATER = 'recovery ended before configured recovery target was reached'

/**
 * Recovers a database to a point in time, and runs work on it. The database then has each transaction that was committed
 * until `at`, and none that was committed later. The server stops when the work has ended.
 *
 * @throws EmbeddedPostgresError `archive_fault` if the base copy or a segment is damaged
 * @throws EmbeddedPostgresError `recovery_failed` or `disk_full` with the messages of PostgreSQL
 */
export async function withRecovered<T>(
  options: RecoveryOptions,
  work: (recovered: Recovered) => Promise<T>,
): Promise<T> {
  const { dataDir, at, report } = options
  const cluster = clusterFolder(dataDir)
  const reach = await unpackFirst(options, cluster)
  const { count, until } = await stageSegments(reach, options, cluster)
  await writeFile(join(cluster, 'recovery.signal'), '')
  const reached = at === 'latest' ? until : at
  report(`Recovering the database to ${reached.toISOString()} with ${count} segments of the write-ahead log.`)
  const site = await prepareSite({ dataDir, maxConnections: CONNECTIONS, unsafeForTests: false })
  try {
    // Gives the files to the user that runs PostgreSQL.
    await ensureCluster(site.cluster, site.binaries, site.launch, { sync: true })
    const postmaster = await startRecovery(site, at)
    try {
      await rm(join(cluster, STAGED), { recursive: true })
      return await work({ ...addressOf(site), at: reached, lastCommitAt: await readLastCommit(site) })
    } finally {
      await stopServer(postmaster.pid)
    }
  } finally {
    await releaseSite(site)
  }
}

/** Unpacks the first base copy that is undamaged, and returns it. The segments lead to the time from each one. */
async function unpackFirst({ reaches, report }: RecoveryOptions, cluster: string): Promise<Reach> {
  let first: Error | undefined
  for (const reach of reaches) {
    report(`Unpacking the base copy ${reach.base.id} of ${reach.base.endedAt}.`)
    try {
      await unpackBaseCopy(reach.log, reach.base, cluster)
      return reach
    } catch (error) {
      // A full disk, for example, would also be full for the next copy.
      if (!hasErrorCode(error, 'archive_fault')) throw error
      first ??= error as Error
      report((error as Error).message)
      await rm(cluster, { recursive: true, force: true })
    }
  }
  throw first
}

interface Staged {
  count: number
  /** When the last of the segments was written. */
  until: Date
}

/** Copies the segments up to the time into the cluster, where the user that runs PostgreSQL can read them. */
async function stageSegments(
  { log, base, segments }: Reach,
  { at, report }: RecoveryOptions,
  cluster: string,
): Promise<Staged> {
  const folder = join(cluster, STAGED)
  await mkdir(folder, { mode: 0o700 })
  const own = segmentBefore(base.timeline, base.stopLsn)
  let staged: Staged | undefined
  for (const name of segments) {
    let writtenAt: Date
    try {
      writtenAt = await stageSegment(log, name, folder)
    } catch (error) {
      const isUsable = staged !== undefined && name > own && staged.until >= new Date(base.endedAt)
      if (at !== 'latest' || !isUsable || !hasErrorCode(error, 'archive_fault')) throw error
      report(`${(error as Error).message} Later changes are not restored.`)
      break
    }
    staged = { count: (staged?.count ?? 0) + 1, until: writtenAt }
    // No transaction in a later segment was committed before.
    if (at !== 'latest' && writtenAt >= at) return staged
  }
  if (at === 'latest' && staged !== undefined) return staged
  throw archiveFault(`The archive ${log.segments} does not have ${at === 'latest' ? base.endedAt : at.toISOString()}.`)
}

/** Compares a segment with its checksum, and copies it. Returns when it was written. */
async function stageSegment({ segments }: LogFolder, name: string, folder: string): Promise<Date> {
  const { writtenAt } = await readHeader(segments, name)
  await readArchived(segments, name)
  await copyFile(join(segments, archivedName(name)), join(folder, archivedName(name)))
  return new Date(writtenAt)
}

async function startRecovery(site: Site, at: Date | 'latest'): Promise<Postmaster> {
  const settings = {
    archive_mode: 'off',
    hot_standby: 'off',
    restore_command: restoreCommand(STAGED),
    recovery_target_timeline: 'current',
    recovery_target_action: 'promote',
  }
  if (at !== 'latest') {
    const first = await tryRecovery(site, { ...settings, recovery_target_time: toSetting(at) })
    if ('postmaster' in first) return first.postmaster
    if (!first.messages.includes(NOTHING_LATER)) throw recoveryFailure(site, first.messages)
  }
  const second = await tryRecovery(site, settings)
  if ('postmaster' in second) return second.postmaster
  throw recoveryFailure(site, second.messages)
}

/** The server reads this setting before it knows that Z means UTC. */
const toSetting = (at: Date): string => at.toISOString().replace('T', ' ').replace('Z', '+00')

async function tryRecovery(
  site: Site,
  settings: Readonly<Record<string, string>>,
): Promise<{ postmaster: Postmaster } | { messages: string }> {
  const endsWithProcess = endWithProcess()
  const postmaster = await startPostmaster({ ...site, purposeSettings: async () => settings })
  endsWithProcess(postmaster)
  if (await waitUntilReady(site, postmaster)) return { postmaster }
  return { messages: `${await postmaster.ended}\n${await postmaster.messages()}` }
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/** Ends a server with this process. Signals of the terminal do not reach the server. */
function endWithProcess(): (postmaster: Postmaster) => void {
  let started: Postmaster | undefined
  let asked: number | undefined
  const end = (number: number): void => {
    asked = number
    if (started === undefined) return
    // The folder is incomplete, so the server need not write a checkpoint.
    signal(started.pid, 'SIGQUIT')
    process.exit(128 + number)
  }
  const listeners = Object.entries(SIGNALS).map(([name, number]) => [name, () => end(number)] as const)
  // A signal may come before the server has started.
  for (const [name, listener] of listeners) process.on(name, listener)
  return (postmaster) => {
    started = postmaster
    if (asked !== undefined) end(asked)
    postmaster.ended.then(() => {
      for (const [name, listener] of listeners) process.removeListener(name, listener)
    })
  }
}

async function readLastCommit(site: Site): Promise<Date | undefined> {
  const client = await connectAsSuperuser(site)
  try {
    const { rows } = await client.query<{ at: Date | null }>('select pg_last_xact_replay_timestamp() as at')
    return rows[0]?.at ?? undefined
  } finally {
    await client.end()
  }
}
