import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Nothing is written for this long: an older work folder was left by a process that was killed. */
const ABANDONED_MS = 24 * 3600 * 1000

export async function createWorkDir(workRoot: string): Promise<string> {
  const dir = join(workRoot, randomUUID())
  await mkdir(dir, { mode: 0o700 })
  return dir
}

/**
 * Removes work folders and files of killed processes. Others may be at work in the same storage, so only old ones go.
 *
 * @returns how many there were
 */
export async function removeAbandoned(workRoot: string): Promise<number> {
  return removeOlder(workRoot, ABANDONED_MS)
}

/** Removes all work folders and files. For who knows that no other process is at work. Returns how many there were. */
export async function clearWorkDirs(workRoot: string): Promise<number> {
  return removeOlder(workRoot, Number.NEGATIVE_INFINITY)
}

async function removeOlder(workRoot: string, ageMs: number): Promise<number> {
  let removed = 0
  for (const name of await readdir(workRoot)) {
    const path = join(workRoot, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs <= ageMs) continue
    await rm(path, { recursive: true, force: true })
    removed += 1
  }
  return removed
}
