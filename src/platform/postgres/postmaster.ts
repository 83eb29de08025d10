import { chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hasErrorCode } from './programs/errors.ts'
import { spawnAs } from './programs/launch.ts'
import { commandOf, isRunning, signal, waitForEnd } from './programs/processes.ts'
import type { Site } from './site.ts'

export type Postmaster = Readonly<{
  pid: number
  /** Fulfilled when it has ended, with why in words. */
  ended: Promise<string>
  hasEnded: () => boolean
  /** The last lines of what it wrote since its start. */
  messages: () => Promise<string>
}>

const SETTINGS: Readonly<Record<string, string>> = {
  // Reachable through the file system only.
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  // What was committed is on disk.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // One machine, shared with the service: modest memory and few processes at rest.
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  io_method: 'sync',
  max_logical_replication_workers: '0',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Errors are told to the service. The server's log must not repeat the statements and values in them.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  logging_collector: 'off',
}

// What was committed still outlives the server, though not the machine.
const UNSAFE_SETTINGS: Readonly<Record<string, string>> = { fsync: 'off', full_page_writes: 'off' }

/** Starts a server on the folder. It may still fail or not be ready: see `ended` and connect. */
export async function startPostmaster(site: Site): Promise<Postmaster> {
  await clearStalePidFile(site)
  const log = await site.serverLog.open()
  try {
    // In a session of its own, so that Ctrl-C on the terminal does not end it before the service has finished its work.
    const child = spawnAs(site.launch, site.binaries.postgres, commandArguments(site), {
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

function commandArguments({ cluster, clusterName, maxConnections, unsafeForTests }: Site): string[] {
  const settings = {
    ...SETTINGS,
    ...(unsafeForTests ? UNSAFE_SETTINGS : {}),
    max_connections: String(maxConnections),
    cluster_name: clusterName,
  }
  // The cluster's name is also how `isOurServer` knows a server of ours.
  const assignments = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', cluster, ...assignments]
}

/** Waits until the server takes connections. Returns false when it has ended instead. */
export async function waitUntilReady({ cluster }: Site, postmaster: Postmaster): Promise<boolean> {
  while (!postmaster.hasEnded()) {
    const file = await readPidFile(cluster)
    if (file?.pid === postmaster.pid && file.status === 'ready') return true
    await delay(5)
  }
  return false
}

/** What a server says of itself in a file in its folder; undefined when there is none, or no whole one. */
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

/** The server that runs on the folder, whoever started it; undefined when none does. */
export async function findServer(cluster: string): Promise<number | undefined> {
  const pid = (await readPidFile(cluster))?.pid
  if (pid === undefined || !(await isRunning(pid))) return undefined
  const command = await commandOf(pid)
  // When the system hides the process from us, it is taken for what the file says it is.
  return command === undefined || command.includes(`/postgres -D ${cluster} `) ? pid : undefined
}

/** Whether a server was started by Platen, as far as the system lets us see. */
export async function isOurServer({ clusterName }: Site, pid: number): Promise<boolean> {
  return (await commandOf(pid))?.includes(` cluster_name=${clusterName} `) === true
}

// No system gives a process so high a number.
const NO_PROCESS = 2 ** 31 - 1

/**
 * After a crash of the machine the files of a server that was running remain, and their process id may by now be another
 * process's, whereupon PostgreSQL refuses to start. The id in `postmaster.pid` is replaced rather than the file removed:
 * its other lines let PostgreSQL see processes of the old server that still use the data.
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

/** An empty file is a server's that is being started at this moment, or was when the machine crashed. */
async function removeWhenOld(path: string): Promise<void> {
  const { mtimeMs } = await stat(path)
  if (Date.now() - mtimeMs > 5_000) await rm(path, { force: true })
}

function pidFileOf(cluster: string): string {
  return join(cluster, 'postmaster.pid')
}

/** How long each way of stopping a server may take before the next one. */
export interface StopPatience {
  /** The server ends its sessions and writes a checkpoint. */
  fastMs: number
  /** The server leaves recovery to the next start. */
  immediateMs: number
}

const STOP_PATIENCE: StopPatience = { fastMs: 20_000, immediateMs: 5_000 }

/** Ends a server: in an orderly way, else leaving recovery to the next start, else by force. Waits until it is gone. */
export async function stopServer(pid: number, { fastMs, immediateMs } = STOP_PATIENCE): Promise<void> {
  signal(pid, 'SIGINT')
  if (await waitForEnd(pid, fastMs)) return
  signal(pid, 'SIGQUIT')
  if (await waitForEnd(pid, immediateMs)) return
  signal(pid, 'SIGKILL')
  await waitForEnd(pid, immediateMs)
}
