import { randomBytes } from 'node:crypto'
import { rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const MIB = 1024 * 1024

/** More than PostgreSQL needs to recover: a segment of its log (16 MiB) and its temporary files. */
const RESERVE_BYTES = 32 * MIB

/** The reserve is only made while this much is free, so that it does not fill the disk itself. */
const FREE_FOR_RESERVE_BYTES = 8 * RESERVE_BYTES

const reserveFile = (dataDir: string): string => join(dataDir, 'disk-reserve')

async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/**
 * Deletes the reserve if the disk is full. PostgreSQL cannot start on a full disk, and without it nothing can be deleted
 * through the service. Returns whether there was a reserve to delete.
 */
export async function releaseReserve(dataDir: string, readFree = readFreeBytes): Promise<boolean> {
  if ((await readFree(dataDir)) >= RESERVE_BYTES) return false
  const file = reserveFile(dataDir)
  const bytes = await sizeOf(file)
  await rm(file, { force: true })
  return bytes > 0
}

/** Makes the reserve if it is missing or incomplete and enough space is free. */
export async function makeReserve(dataDir: string, readFree = readFreeBytes): Promise<void> {
  const file = reserveFile(dataDir)
  if ((await sizeOf(file)) === RESERVE_BYTES || (await readFree(dataDir)) < FREE_FOR_RESERVE_BYTES) return
  try {
    // Random bytes, because some file systems compress others, or do not store zeros.
    await writeFile(file, randomBytes(RESERVE_BYTES), { mode: 0o600 })
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

/** Returns 0 if the file is missing. */
async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0
}

const LARGEST_WAL_MIB = 512
const SMALLEST_WAL_MIB = 64
/** The part of the disk that the write-ahead log may use. It is less than half of the free space that the service keeps. */
const PART_OF_WAL = 0.02
const SEGMENT_MIB = 16

/** Returns settings that keep the write-ahead log of PostgreSQL small on a small disk. */
export async function walSettings(folder: string): Promise<Record<string, string>> {
  const { blocks, bsize } = await statfs(folder)
  return walSettingsFor(blocks * bsize)
}

export function walSettingsFor(totalBytes: number): Record<string, string> {
  const segments = Math.floor((totalBytes * PART_OF_WAL) / MIB / SEGMENT_MIB)
  const mib = Math.min(LARGEST_WAL_MIB, Math.max(SMALLEST_WAL_MIB, segments * SEGMENT_MIB))
  // On a small disk, segments are kept for reuse, so that the log needs no new space when little is left.
  return { max_wal_size: `${mib}MB`, min_wal_size: mib < LARGEST_WAL_MIB ? `${mib}MB` : '80MB' }
}
