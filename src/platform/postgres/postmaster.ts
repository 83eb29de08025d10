import { chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { walSettings } from './disk-reserve.ts'
import { hasErrorCode } from './programs/errors.ts'
import { spawnAs } from './programs/launch.ts'
import { commandOf, isRunning, signal, waitForEnd } from './programs/processes.ts'
import type { Site } from './site.ts'

export type Postmaster = Readonly<{
  pid: number
  /** Resolves with the reason as a text when the server has ended. */
  ended: Promise<string>
  hasEnded: () => boolean
  /** Returns the last lines that the server wrote since its start. */
  messages: () => Promise<string>
}>

type Settings = Readonly<Record<string, string>>

const SETTINGS: Settings = {
  // The server is reachable only through the file system.
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  // Committed data is on disk.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // The server shares the computer with the service, so it gets moderate memory and few idle processes.
  shared_buffers: '64MB',
  max_logical_replication_workers: '0',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The service gets errors over the connection. The log of the server must not repeat statements with their values.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  logging_collector: 'off',
}

// An unknown setting stops the start of a server, and an upgrade starts one of an earlier version.
const SETTINGS_SINCE: Readonly<Record<number, Settings>> = { 18: { io_method: 'sync' } }

// Without these settings, committed data survives a crash of the server, but not of the computer. Tests use this,
// because it is faster.
const UNSAFE_SETTINGS: Settings = { fsync: 'off', full_page_writes: 'off' }

/** Starts a server on the folder. It may still fail or not be ready: wait for `waitUntilReady` or `ended`. */
export async function startPostmaster(site: Site): Promise<Postmaster> {
  await clearStalePidFile(site)
  const log = await site.serverLog.open()
  try {
    // The server gets its own session, so that Ctrl-C in the terminal does not end it before the service has finished.
    const settings = { ...(await walSettings(site.cluster)), ...(await site.purposeSettings()) }
    const child = spawnAs(site.launch, site.binaries.postgres, commandArguments(site, settings), {
      stdio: ['ignore', log.descriptor, log.descriptor],
      detached: true,
    })
    let hasEnded = false
    const ended = new Promise<string>((resolve) => {
      const end = (reason: string) => {
        hasEnded = true
        resolve(reason)
      }
      child.once('error', (error) => end(error.message))
      child.once('exit', (status, signalName) => end(signalName ?? `exit status ${status}`))
    })
    child.unref()
    return {
      pid: child.pid ?? 0,
      ended,
      hasEnded: () => hasEnded,
      messages: () => site.serverLog.readSince(log.length),
    }
  } finally {
    await log.close()
  }
}

function commandArguments(site: Site, more: Settings): string[] {
  const { binaries, cluster, clusterName, maxConnections, unsafeForTests } = site
  const known = Object.entries(SETTINGS_SINCE).filter(([major]) => binaries.major >= Number(major))
  const settings = {
    ...SETTINGS,
    ...Object.assign({}, ...known.map(([, since]) => since)),
    ...more,
    ...(unsafeForTests ? UNSAFE_SETTINGS : {}),
    max_connections: String(maxConnections),
    cluster_name: clusterName,
  }
  // Sets the cluster name, by which `isOurServer` recognizes a server.
  const assignments = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', cluster, ...assignments]
}

/** Waits until the server accepts connections. Returns false if the server has ended. */
export async function waitUntilReady({ cluster }: Site, postmaster: Postmaster): Promise<boolean> {
  while (!postmaster.hasEnded()) {
    const file = await readPidFile(cluster)
    if (file?.pid === postmaster.pid && file.status === 'ready') return true
    await delay(5)
  }
  return false
}

/** Reads the state of a server from the file in its folder. Returns undefined if the file is missing or incomplete. */
async function readPidFile(cluster: string): Promise<{ pid: number; status: string } | undefined> {
  try {
    const lines = (await readFile(pidFileOf(cluster), 'utf8')).split('\n')
    const pid = Number.parseInt(lines[0] ?? '', 10)
    // The lines are numbered in PostgreSQL's src/include/utils/pidfile.h.
    return Number.isInteger(pid) ? { pid, status: lines[7]?.trim() ?? '' } : undefined
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/**
 * Returns the process id of the server that runs on the folder, whichever process started it. Undefined if no server
 * runs.
 */
export async function findServer(cluster: string): Promise<number | undefined> {
  const pid = (await readPidFile(cluster))?.pid
  if (pid === undefined || !(await isRunning(pid))) return undefined
  const command = await commandOf(pid)
  // If the system hides the command of the process, the file decides.
  return command === undefined || command.includes(`/postgres -D ${cluster} `) ? pid : undefined
}

/** Tells whether Platen started a server, as far as the system shows its command. */
export async function isOurServer({ clusterName }: Site, pid: number): Promise<boolean> {
  return (await commandOf(pid))?.includes(` cluster_name=${clusterName} `) === true
}

// No operating system uses a process id this high.
const NO_PROCESS = 2 ** 31 - 1

/**
 * Makes PostgreSQL start after a crash of the computer. The files of the old server remain, and its process id may now
 * belong to another process, so that PostgreSQL would refuse to start. The id in `postmaster.pid` is replaced, and the
 * file is not removed, because its other lines let PostgreSQL detect processes of the old server that still use the
 * data.
 */
async function clearStalePidFile(site: Site): Promise<void> {
  const { cluster } = site
  if ((await findServer(cluster)) !== undefined) return
  await rm(join(cluster, '.s.PGSQL.5432.lock'), { force: true })
  const path = pidFileOf(cluster)
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (content === undefined) return
  if (content.trim() === '') {
    await removeWhenOld(path)
    return
  }
  const [, ...rest] = content.split('\n')
  const { uid, gid } = await stat(cluster)
  await writeFile(`${path}.new`, [NO_PROCESS, ...rest].join('\n'), { mode: 0o600 })
  await chown(`${path}.new`, uid, gid)
  await rename(`${path}.new`, path)
}

/** Removes an empty file only if it is old. A recent file may belong to a server that is starting. */
async function removeWhenOld(path: string): Promise<void> {
  const { mtimeMs } = await stat(path)
  if (Date.now() - mtimeMs > 5_000) await rm(path, { force: true })
}

function pidFileOf(cluster: string): string {
  return join(cluster, 'postmaster.pid')
}

/** How long each way of stopping a server may take before the next one is tried. */
export interface StopPatience {
  /** The server ends its sessions and writes a checkpoint. */
  fastMs: number
  /** The server exits without a checkpoint, so the next start must recover. */
  immediateMs: number
}

const STOP_PATIENCE: StopPatience = { fastMs: 20_000, immediateMs: 5_000 }

/** Stops a server: first with a checkpoint, then without one, then by force. Waits until the server has ended. */
export async function stopServer(pid: number, { fastMs, immediateMs } = STOP_PATIENCE): Promise<void> {
  signal(pid, 'SIGINT')
  if (await waitForEnd(pid, fastMs)) return
  signal(pid, 'SIGQUIT')
  if (await waitForEnd(pid, immediateMs)) return
  signal(pid, 'SIGKILL')
  await waitForEnd(pid, immediateMs)
}
