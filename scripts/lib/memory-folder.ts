import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

/** A database for each of two tests at a time, their services' folders, a browser's profile: with room to spare. */
const NEEDED_BYTES = 3 * 1024 ** 3

/**
 * Makes a folder in memory (Linux' tmpfs), where making and dropping databases takes a tenth of what it takes on many a
 * disk. Undefined where there is none with enough room, or where no program may run.
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
    // As root, PostgreSQL runs as a user who has to pass through here.
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
