import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Age after which a work folder is abandoned. No process writes to a folder for this long, so a killed process left it.
 */
const ABANDONED_MS = 24 * 3600 * 1000

export async function createWorkDir(workRoot: string): Promise<string> {
  const dir = join(workRoot, randomUUID())
  await mkdir(dir, { mode: 0o700 })
  return dir
}

/**
 * Removes work folders and files of killed processes. Only old ones are removed, because other processes may use the
 * same storage.
 *
 * @returns the number of removed folders and files
 */
export async function removeAbandoned(workRoot: string): Promise<number> {
  return removeOlder(workRoot, ABANDONED_MS)
}

/**
 * Removes all work folders and files. Call this function only if no other process is running. Returns the number of
 * removed folders and files.
 */
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
