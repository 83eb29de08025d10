import { statfs } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'
import { reuseBriefly } from '../../concurrency/reuse-briefly.ts'
import { ALONE, type SharedCounts } from '../../processes/shared-counts.ts'
import type { Log } from '../../telemetry/log.ts'
import { storageUnavailable } from './problems.ts'

/** How long the result of one check of the file systems is used. In this time, a database can write some MiB. */
const LOOK_MS = 100

const MIB = 1024 * 1024

/** All files share one count. */
const FILES = 'files'

/** Minimum of free bytes on each file system, or minimum share of a small one, if no minimum is configured. */
const DEFAULT_FLOOR_BYTES = 1024 * MIB
const DEFAULT_FLOOR_SHARE = 0.05

/**
 * Limits of the room that is reserved for a file ahead of its written bytes. Within these limits, as much is reserved
 * as has arrived.
 */
const LEAST_AHEAD_BYTES = MIB / 16
const MOST_AHEAD_BYTES = MIB

/** Keeps disk space free for the database on the file systems that the service and its embedded database use. */
export interface FreeDisk {
  /**
   * Call this function before writing a file, and repeatedly while writing a large one.
   *
   * @throws `storage_unavailable` while less than the minimum is free
   */
  requireFree(options?: FreeDiskOf): Promise<void>
  /**
   * Admits a file of at least this size, in addition to the admitted files that are still being written. Room is
   * reserved step by step as the file is written, so that an upload that never arrives does not block others.
   *
   * @throws `storage_unavailable` if less than the minimum would stay free
   */
  admit(size: FileSize): Promise<Admission>
}

/** For whom or for what disk space is needed, if it is not simply the minimum. */
export interface FreeDiskOf {
  /**
   * Tells whether the data is that of a visitor: a guest, or a customer who has not paid yet. For visitors, twice the
   * minimum is required, so that they leave room for customers who have paid. Called only while less than that is free.
   */
  isVisitor?: () => boolean | Promise<boolean>
  /**
   * The share of the minimum that is enough; 1 by default. For what should still work when customers can no longer add
   * data, but adds rows itself. The rest stays for the database.
   */
  enough?: number
}

export interface FileSize {
  least: number
  most: number
}

/** The room of one file that is being written. */
export interface Admission {
  /**
   * Reserves room for this many bytes of the file in total, and for some more. Call this function before the last of
   * these bytes are written and after the earlier ones were.
   *
   * @throws `storage_unavailable` if less than the minimum would stay free
   */
  cover(bytes: number): Promise<void>
  /** Ends the reservation. Call this function when the file was written or abandoned. */
  end(): void
}

/** Never rejects. For programs that write no large files. */
export const UNWATCHED_DISK: FreeDisk = {
  requireFree: async () => undefined,
  admit: async () => ({ cover: async () => undefined, end: () => undefined }),
}

export interface FileSystemState {
  freeBytes: number
  totalBytes: number
}

export interface FreeDiskOptions {
  /** One folder on each file system. */
  folders: readonly string[]
  /** Minimum of free bytes. Undefined for 1 GiB, or 5 % of a smaller file system. With 0, nothing is rejected. */
  floorBytes: number | undefined
  log: Log
  registry: Registry
  /** Adds the room that the other processes of this node have reserved. */
  shared?: SharedCounts | undefined
  readState?: (folder: string) => Promise<FileSystemState>
}

/** Watches the file systems and exposes `platen_storage_free_bytes`. */
export function createFreeDisk(options: FreeDiskOptions): FreeDisk {
  /** Reserved room of all admitted files that is not written yet. */
  const ahead = (options.shared ?? ALONE).counts('bytes of files')
  /** Bytes that were written since the latest check began. The check may not include them. */
  let unseenBytes = 0
  const lookNow = createLook(options)
  // One check at a time, because each check occupies one of the few threads for file access.
  const look = reuseBriefly(() => {
    unseenBytes = 0
    return lookNow()
  }, LOOK_MS)
  new Gauge({
    name: 'platen_storage_free_bytes',
    help: 'Free bytes of the file system of the data folder, the storage or the embedded database, whichever has less above its minimum.',
    registers: [options.registry],
    collect: async function collect() {
      await look().then(
        ({ freeBytes }) => this.set(freeBytes),
        // Removes the metric, because a file system that does not respond has no value.
        () => this.remove(),
      )
    },
  })

  const requireSpare = async (bytes: number, { isVisitor, enough = 1 }: FreeDiskOf = {}) => {
    if (options.floorBytes === 0) return
    const { freeBytes, spareBytes } = await look().catch((error: unknown) => {
      throw storageUnavailable(error)
    })
    const floorBytes = freeBytes - spareBytes
    const missingFor = (change: number) => bytes + change + unseenBytes - spareBytes
    const mayBeRefused = isVisitor !== undefined && missingFor(floorBytes) > 0
    const change = mayBeRefused && (await isVisitor()) ? floorBytes : (enough - 1) * floorBytes
    const missingBytes = missingFor(change)
    if (missingBytes <= 0) return
    const cause = new Error(`${freeBytes} bytes are free; the minimum requires ${missingBytes} more`)
    throw storageUnavailable(
      cause,
      'The server has too little free disk space to store more data. Repeat the request later.',
    )
  }

  const admit = async ({ least, most }: FileSize): Promise<Admission> => {
    let writtenBytes = 0
    let coveredBytes = 0
    let takenBytes = 0
    /**
     * Changes the room that this file has reserved.
     *
     * @param bytes room to reserve in total
     * @param fitting room that must be free in addition to the reservations of other files. The first call passes the
     *   least size of the file, of which only a part is reserved
     */
    const take = async (bytes: number, fitting = bytes): Promise<void> => {
      const before = takenBytes
      // Reserves before the check, so that files that are admitted during the check count each other.
      ahead.add(FILES, bytes - before)
      takenBytes = bytes
      try {
        await requireSpare(ahead.of(FILES) + Math.max(0, fitting - bytes))
      } catch (error) {
        ahead.add(FILES, before - bytes)
        takenBytes = before
        throw error
      }
    }
    const noteWritten = (): void => {
      ahead.add(FILES, writtenBytes - coveredBytes)
      unseenBytes += coveredBytes - writtenBytes
      writtenBytes = coveredBytes
    }
    await take(Math.min(most, LEAST_AHEAD_BYTES), least)
    return {
      cover: async (bytes) => {
        noteWritten()
        const more = Math.min(MOST_AHEAD_BYTES, Math.max(LEAST_AHEAD_BYTES, bytes))
        if (bytes > takenBytes) await take(Math.max(bytes, Math.min(most, bytes + more)))
        else await requireSpare(0)
        coveredBytes = bytes
      },
      end: () => {
        noteWritten()
        ahead.add(FILES, writtenBytes - takenBytes)
        takenBytes = writtenBytes
      },
    }
  }

  return { requireFree: (asked) => requireSpare(0, asked), admit }
}

interface Look {
  freeBytes: number
  /** Free bytes above the minimum; negative below it. */
  spareBytes: number
}

/** Reads the state of all file systems. Logs when free space falls below the minimum or rises above it again. */
function createLook({ folders, floorBytes, log, readState = readFileSystem }: FreeDiskOptions): () => Promise<Look> {
  let isLow = false
  return async () => {
    const states = await Promise.all(folders.map(readState))
    const looks = states.map(({ freeBytes, totalBytes }) => {
      const floor = floorBytes ?? Math.min(DEFAULT_FLOOR_BYTES, Math.floor(totalBytes * DEFAULT_FLOOR_SHARE))
      return { freeBytes, spareBytes: freeBytes - floor }
    })
    const tightest = looks.reduce((least, one) => (one.spareBytes < least.spareBytes ? one : least))
    const wasLow = isLow
    isLow = tightest.spareBytes < 0
    if (isLow && !wasLow) log.warn(tightest, 'too little disk space is free; customers cannot add data')
    if (!isLow && wasLow) log.info(tightest, 'enough disk space is free again')
    return tightest
  }
}

async function readFileSystem(folder: string): Promise<FileSystemState> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
