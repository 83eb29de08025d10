import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hasErrorCode } from './errors.ts'

const run = promisify(execFile)
const HAS_PROC = process.platform === 'linux'

/** Tells whether a process exists and still runs. A zombie does not count. */
export async function isRunning(pid: number): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!hasErrorCode(error, 'EPERM')) return false
  }
  if (!HAS_PROC) return true
  // Reads the state of the process, because zombies accept signals. They remain if npm is the first process of a
  // container, because then no process collects orphans.
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The process has ended since the call of `kill`.
  if (status === undefined) return false
  const state = status.slice(status.lastIndexOf(')') + 2).charAt(0)
  return state !== 'Z' && state !== 'X'
}

/** Waits until a process no longer runs. Returns false if it still runs after the given time. */
export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (await isRunning(pid)) {
    if (Date.now() > deadline) return false
    await delay(10)
  }
  return true
}

/** Sends a signal. Ignores a process that has already ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  // A program that could not be started has no id, and 0 would mean the process group of this process.
  if (pid <= 0) return
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!hasErrorCode(error, 'ESRCH')) throw error
  }
}

/**
 * Returns the program and arguments of a process, each followed by a blank. Undefined if the system does not show them.
 */
export async function commandOf(pid: number): Promise<string | undefined> {
  try {
    if (HAS_PROC) return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    return (await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout.replace('\n', ' ')
  } catch {
    return undefined
  }
}

/** Finds processes of a cluster that survived their postmaster, by the name that they show to the system. */
export async function findBackends(clusterName: string): Promise<number[]> {
  if (!HAS_PROC) return []
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const title = await commandOf(pid)
    if (title?.startsWith(`postgres: ${clusterName}: `)) found.push(pid)
  }
  return found
}
