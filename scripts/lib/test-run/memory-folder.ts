import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

/**
 * Free memory that is required. It is enough for the databases and folders of two concurrent tests and for a browser
 * profile.
 */
const NEEDED_BYTES = 3 * 1024 ** 3

/**
 * Creates a folder in memory (tmpfs on Linux), where creating and dropping a database takes a tenth of the time that it
 * takes on a disk. Returns undefined if no tmpfs with enough space exists, or if programs cannot be executed in it.
 */
export function makeMemoryFolder(memory = '/dev/shm'): string | undefined {
  if (process.availableMemory() < 2 * NEEDED_BYTES || freeBytes(memory) < NEEDED_BYTES) return undefined
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(memory, 'platen-'))
    const program = join(folder, 'program')
    writeFileSync(program, '', { mode: 0o700 })
    accessSync(program, constants.X_OK)
    rmSync(program)
    // If root runs the tests, PostgreSQL runs as another user, who must be able to access the folders inside.
    chmodSync(folder, 0o711)
    return folder
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    return undefined
  }
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}
