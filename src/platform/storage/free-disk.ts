import { statfs } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'
import type { Log } from '../log.ts'
import { storageUnavailable } from './problems.ts'

/** How long one look at the file systems is believed. */
const LOOK_MS = 1_000

const MIB = 1024 * 1024

/** Without a setting, this much of each file system stays free, or this share of a small one. */
const DEFAULT_FLOOR_BYTES = 1024 * MIB
const DEFAULT_FLOOR_SHARE = 0.05

/** Keeps space free for the database on the file systems that uploads and new files are written to. */
export interface FreeDisk {
  /**
   * Call it before a file is written, and while a large one is.
   *
   * @throws `storage_unavailable` while less than the floor is free
   */
  requireFree(): Promise<void>
  /**
   * Admits a file of this size, beside the files that were admitted and are still being written.
   *
   * @returns to be called when the file has been written or given up
   * @throws `storage_unavailable` if less than the floor would stay free
   */
  admit(bytes: number): Promise<() => void>
}

/** For programs that write nothing large. */
export const UNWATCHED_DISK: FreeDisk = {
  requireFree: async () => undefined,
  admit: async () => () => undefined,
}

export interface FileSystemState {
  freeBytes: number
  totalBytes: number
}

export interface FreeDiskOptions {
  /** A folder on each file system. */
  folders: readonly string[]
  /** Undefined: 1 GiB, or 5 % of a file system where that is less. 0: never refuses. */
  floorBytes: number | undefined
  log: Log
  registry: Registry
  /** For tests. */
  readState?: (folder: string) => Promise<FileSystemState>
}

/** Watches the file systems and exposes `platen_storage_free_bytes`. */
export function createFreeDisk(options: FreeDiskOptions): FreeDisk {
  const look = lookNowAndThen(options)
  let admittedBytes = 0
  new Gauge({
    name: 'platen_storage_free_bytes',
    help: 'Free bytes of the file system of the data folder or the storage, whichever has less above its floor.',
    registers: [options.registry],
    collect: async function collect() {
      await look().then(
        ({ freeBytes }) => this.set(freeBytes),
        // A file system that does not answer has no value.
        () => this.remove(),
      )
    },
  })

  const requireSpare = async (bytes: number): Promise<void> => {
    if (options.floorBytes === 0) return
    const { freeBytes, spareBytes } = await look().catch((error: unknown) => {
      throw storageUnavailable(error)
    })
    if (spareBytes >= bytes) return
    const cause = new Error(`${freeBytes} bytes are free, ${bytes - spareBytes} too few`)
    throw storageUnavailable(cause, 'There is not enough free disk space to store new files.')
  }

  return {
    requireFree: () => requireSpare(0),
    admit: async (bytes) => {
      // Counted before the look, or files that are admitted during it would not know of each other.
      admittedBytes += bytes
      let isOver = false
      const end = (): void => {
        if (!isOver) admittedBytes -= bytes
        isOver = true
      }
      try {
        await requireSpare(admittedBytes)
      } catch (error) {
        end()
        throw error
      }
      return end
    },
  }
}

interface Look {
  freeBytes: number
  /** Free bytes above the floor; negative below it. */
  spareBytes: number
}

/** Looks at most once in `LOOK_MS`, also when many ask at once: each look takes one of the few threads of file access. */
function lookNowAndThen({ folders, floorBytes, log, readState = readFileSystem }: FreeDiskOptions) {
  let last: Promise<Look> | undefined
  /** When the last look ended; undefined while it runs. */
  let lookedAt: number | undefined
  let isLow = false

  const look = async (): Promise<Look> => {
    const states = await Promise.all(folders.map(readState))
    const looks = states.map(({ freeBytes, totalBytes }) => {
      const floor = floorBytes ?? Math.min(DEFAULT_FLOOR_BYTES, Math.floor(totalBytes * DEFAULT_FLOOR_SHARE))
      return { freeBytes, spareBytes: freeBytes - floor }
    })
    const tightest = looks.reduce((least, one) => (one.spareBytes < least.spareBytes ? one : least))
    const wasLow = isLow
    isLow = tightest.spareBytes < 0
    if (isLow && !wasLow) log.warn(tightest, 'too little disk space is free: new files are refused')
    if (!isLow && wasLow) log.info(tightest, 'enough disk space is free again')
    return tightest
  }

  return (): Promise<Look> => {
    if (last !== undefined && (lookedAt === undefined || performance.now() - lookedAt <= LOOK_MS)) return last
    lookedAt = undefined
    const current = look()
    last = current
    const end = (): void => {
      lookedAt = performance.now()
    }
    current.then(end, end)
    return current
  }
}

async function readFileSystem(folder: string): Promise<FileSystemState> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
