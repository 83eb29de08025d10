import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { reuseBriefly } from '../concurrency/reuse-briefly.ts'
import type { Db, Trx } from '../db/index.ts'
import type { Log } from '../telemetry/log.ts'
import type { PaceDownload } from './objects/download-pace.ts'
import { type FileBudget, UNPACED } from './objects/file-budgets.ts'
import { type FreeDisk, UNWATCHED_DISK } from './objects/free-disk.ts'
import { type ObjectStore, requireSha256, type SignedUrlOptions, type StoredObject } from './objects/object-store.ts'
import { storageUnavailable } from './objects/problems.ts'
import { notePut, retainObjects } from './objects/store.ts'
import { compareStore, type StoreComparison } from './objects/store-comparison.ts'
import { WrongBytes } from './s3/local-cache.ts'
import { S3Error } from './s3/s3-errors.ts'

/**
 * Stores bytes under their SHA-256. Equal bytes are stored once, and the bytes of a hash never change. Reading
 * therefore needs no locks, and a caller may cache forever. If bytes cannot be stored or read now, functions throw
 * `storage_unavailable`.
 */
export interface Storage extends FreeDisk, FileBudget {
  /**
   * Stores a finished file by moving it. When the promise resolves, the bytes survive a power failure. They are not
   * collected for a day, which leaves time to write the row that refers to them.
   */
  store(file: { path: string; sha256: string }): Promise<void>
  /**
   * Protects stored bytes from collection until the transaction ends. Call this function in the transaction that writes
   * a row with a reference, before writing the row. Throws if the bytes were collected in the meantime, as after a
   * process was suspended for a day.
   */
  retain(trx: Trx, sha256s: readonly string[]): Promise<void>
  /** Returns a path from which the bytes can be read on this computer for the next half hour. */
  localPath(sha256: string): Promise<string>
  /** Opens the bytes for a response, which takes them as fast as the caller of the current request may read files. */
  open(sha256: string): Promise<{ stream: Readable; bytes: number }>
  /**
   * Returns a URL from which everyone can download the bytes for some minutes. Undefined: the caller must send the
   * bytes itself.
   */
  signedUrl(sha256: string, options: SignedUrlOptions): Promise<string | undefined>
  /**
   * Creates an empty folder on the same file system for files that are being written. The caller removes the folder.
   *
   * @throws `storage_unavailable`, also if too little disk space is free
   */
  createWorkDir(): Promise<string>
  /** Removes incomplete files of killed processes. Call this function only if no other process is running. */
  clearWorkDirs(): Promise<number>
  /**
   * Rejects if bytes cannot be stored now. Frequent calls share one check. The promise can stay pending, for example
   * while a mounted disk does not respond.
   */
  check(): Promise<void>
  /** Searches the store for some of the files that the database knows. */
  compare(): Promise<StoreComparison>
  close(): Promise<void>
}

/** How long the outcome of a check is reused. */
const CHECKED_MS = 5_000

/**
 * How long a process that wants to store bytes waits while another process deletes the same bytes. A deletion takes
 * milliseconds.
 */
const DELETION_WAIT_MS = 5_000
const DELETION_POLL_MS = 50

export interface StorageDeps {
  store: ObjectStore
  db: Db
  log: Log
  /** Default: free disk space is not checked. */
  freeDisk?: FreeDisk
  /** Default: callers write as fast as they can. */
  fileBudget?: FileBudget
  /** Default: callers read as fast as they can. */
  paceDownload?: PaceDownload
  deletionWaitMs?: number
}

/**
 * Creates the storage of a service: a store for the bytes, and a table that records for the collection which bytes were
 * stored, and when.
 */
export function createStorage(deps: StorageDeps): Storage {
  const { store, db, log, freeDisk = UNWATCHED_DISK, fileBudget = UNPACED, deletionWaitMs = DELETION_WAIT_MS } = deps
  const { paceDownload = (file) => file } = deps
  const readStored = <T>(sha256: string, work: () => Promise<T>): Promise<T> =>
    asStorageProblem(work).catch((problem: unknown) => {
      if (isDamage(problem)) log.error({ err: problem, sha256 }, 'stored bytes are missing or damaged')
      throw problem
    })
  return {
    store: async ({ path, sha256 }) => {
      const bytes = await asStorageProblem(() => requireContent(path, sha256))
      await announce(db, { sha256, bytes }, deletionWaitMs)
      await asStorageProblem(() => store.put({ path, sha256, bytes }))
    },
    retain: async (trx, sha256s) => {
      const gone = await retainObjects(trx, sha256s)
      if (gone.length > 0) throw storageUnavailable(new Error(`${gone.join(', ')}: collected after it was stored`))
    },
    localPath: (sha256) => readStored(sha256, () => store.localPath(sha256)),
    open: async (sha256) => {
      const { stream, bytes } = await readStored(sha256, () => store.open(sha256))
      return { stream: paceDownload(stream), bytes }
    },
    signedUrl: (sha256, options) => asStorageProblem(() => store.signedUrl(sha256, options)),
    ...freeDisk,
    ...fileBudget,
    createWorkDir: async () => {
      await freeDisk.requireFree()
      return asStorageProblem(() => store.createWorkDir())
    },
    clearWorkDirs: () => asStorageProblem(() => store.clearWorkDirs()),
    // One check at a time: on a disk that does not respond, each check would occupy one of the few threads for file
    // access.
    check: reuseBriefly(() => asStorageProblem(() => store.check()), CHECKED_MS),
    compare: () => compareStore(db, store),
    close: () => store.close(),
  }
}

const CHUNK_BYTES = 256 * 1024

/** Verifies the hash of a file and returns its size. The bytes under a hash are not verified again later. */
async function requireContent(path: string, sha256: string): Promise<number> {
  requireSha256(sha256)
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(path)
  try {
    // Uses one buffer for the whole file. A stream would allocate a buffer for each part.
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let part = await file.read(buffer); part.bytesRead > 0; part = await file.read(buffer)) {
      hash.update(buffer.subarray(0, part.bytesRead))
      bytes += part.bytesRead
    }
  } finally {
    await file.close()
  }
  if (hash.digest('hex') !== sha256) throw new Error(`a file with the expected hash ${sha256} has other bytes`)
  return bytes
}

/** Records an object before its bytes are stored. From then on, the collection does not delete them. */
async function announce(db: Db, object: StoredObject, maxWaitMs: number): Promise<void> {
  for (let waitedMs = 0; !(await notePut(db, object)); waitedMs += DELETION_POLL_MS) {
    if (waitedMs >= maxWaitMs) throw storageUnavailable(new Error(`${object.sha256} is being deleted`))
    await pause(DELETION_POLL_MS)
  }
}

/**
 * Turns faults of the disk, of the service and of stored bytes into `storage_unavailable`. Other errors are program
 * errors and stay unchanged.
 */
async function asStorageProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isStorageFault(error) ? storageUnavailable(error) : error
  }
}

function isStorageFault(error: unknown): boolean {
  if (error instanceof S3Error || error instanceof WrongBytes) return true
  return error instanceof Error && 'syscall' in error
}

/** Tells whether stored bytes are missing or damaged. A retry cannot help in this case. */
export function isDamage(problem: unknown): boolean {
  const { cause } = problem as { cause?: { code?: unknown } }
  return ['ENOENT', 'NoSuchKey', 'NotFound', 'WRONG_BYTES'].includes(String(cause?.code))
}
