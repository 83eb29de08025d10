import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { archiveFault } from '../archive/archive-fault.ts'
import { archivedName, readArchived, readHeader } from '../archive/archived-file.ts'
import { restoreCommand } from '../archive/archiving.ts'
import type { Reach } from '../archive/read-logs.ts'
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
  at: Date
  report(line: string): void
}

export interface Recovered {
  poolConfig: EmbeddedPoolConfig
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
  const count = await stageSegments(reach, at, cluster)
  await writeFile(join(cluster, 'recovery.signal'), '')
  report(`Recovering the database to ${at.toISOString()} with ${count} segments of the write-ahead log.`)
  const site = await prepareSite({ dataDir, maxConnections: CONNECTIONS, unsafeForTests: false })
  try {
    // Gives the files to the user that runs PostgreSQL.
    await ensureCluster(site.cluster, site.binaries, site.launch, { sync: true })
    const postmaster = await startRecovery(site, at)
    try {
      await rm(join(cluster, STAGED), { recursive: true })
      return await work({ ...addressOf(site), lastCommitAt: await readLastCommit(site) })
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

/**
 * Copies the segments up to the time into the cluster, where the user that runs PostgreSQL can read them, and compares
 * them with their checksums. Returns their number.
 */
async function stageSegments({ log, segments }: Reach, at: Date, cluster: string): Promise<number> {
  await mkdir(join(cluster, STAGED), { mode: 0o700 })
  let count = 0
  for (const name of segments) {
    const { writtenAt } = await readHeader(log.segments, name)
    await readArchived(log.segments, name)
    await copyFile(join(log.segments, archivedName(name)), join(cluster, STAGED, archivedName(name)))
    count += 1
    // No transaction in a later segment was committed before.
    if (new Date(writtenAt) >= at) return count
  }
  throw archiveFault(`The archive ${log.segments} does not have ${at.toISOString()}.`)
}

async function startRecovery(site: Site, at: Date): Promise<Postmaster> {
  const settings = {
    archive_mode: 'off',
    hot_standby: 'off',
    restore_command: restoreCommand(STAGED),
    recovery_target_timeline: 'current',
    recovery_target_action: 'promote',
  }
  const first = await tryRecovery(site, { ...settings, recovery_target_time: toSetting(at) })
  if ('postmaster' in first) return first.postmaster
  if (!first.messages.includes(NOTHING_LATER)) throw recoveryFailure(site, first.messages)
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
