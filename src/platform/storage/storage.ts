import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { reuseBriefly } from '../concurrency/reuse-briefly.ts'
import type { Db, Trx } from '../db/index.ts'
import type { Log } from '../log.ts'
import { type FreeDisk, UNWATCHED_DISK } from './objects/free-disk.ts'
import {
  type ObjectStore,
  requireSha256,
  type SignedAddressOptions,
  type StoredObject,
} from './objects/object-store.ts'
import { storageUnavailable } from './objects/problems.ts'
import { notePut, retainObjects } from './objects/store.ts'
import { WrongBytes } from './s3/local-cache.ts'
import { S3Error } from './s3/s3-errors.ts'

/**
 * Keeps bytes under their SHA-256. Equal bytes are kept once, and a name never changes its meaning, so that reading needs
 * no locks and a caller may cache for ever. Whatever cannot be kept or read at the moment is `storage_unavailable`.
 */
export interface Storage extends FreeDisk {
  /**
   * Takes over a finished file (it is moved). When the promise resolves, the bytes survive a power cut, and are not
   * collected for a day: time to write the row that refers to them.
   */
  store(file: { path: string; sha256: string }): Promise<void>
  /**
   * To be called in the transaction that writes a row which refers to stored bytes, before the row: retains the bytes until
   * the transaction ends, and refuses when they were collected meanwhile, as in a process that stood still for a day.
   */
  retain(trx: Trx, sha256s: readonly string[]): Promise<void>
  /** A path from which the bytes can be read on this machine for the next half hour. */
  localPath(sha256: string): Promise<string>
  open(sha256: string): Promise<{ stream: Readable; bytes: number }>
  /** An address at which anybody can fetch the bytes for some minutes; undefined: send them yourself. */
  signedAddress(sha256: string, options: SignedAddressOptions): Promise<string | undefined>
  /**
   * A new empty folder on the same file system, for files that are still being written. The caller removes it.
   *
   * @throws `storage_unavailable` also if too little disk space is free
   */
  createWorkDir(): Promise<string>
  /** Removes what killed processes were writing. For who knows that no other process is at work. */
  clearWorkDirs(): Promise<number>
  /** Rejects while bytes cannot be kept. Asking often costs nothing; the answer may not come, as from a dead mount. */
  check(): Promise<void>
  close(): Promise<void>
}

/** How long the outcome of a check is believed. */
const CHECKED_MS = 5_000

/** Deleting takes milliseconds; whoever wants to store the same bytes again waits so long for it. */
const DELETION_WAIT_MS = 5_000
const DELETION_POLL_MS = 50

export interface StorageDeps {
  store: ObjectStore
  db: Db
  log: Log
  /** Left out: nothing is refused for lack of space before the disk is full. */
  freeDisk?: FreeDisk
  deletionWaitMs?: number
}

/** The storage of a service: a store for the bytes, and a table that tells the collection what is in it since when. */
export function createStorage(deps: StorageDeps): Storage {
  const { store, db, log, freeDisk = UNWATCHED_DISK, deletionWaitMs = DELETION_WAIT_MS } = deps
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
      if (gone.length > 0) throw storageUnavailable(new Error(`${gone.join(', ')}: collected since it was stored`))
    },
    localPath: (sha256) => readStored(sha256, () => store.localPath(sha256)),
    open: (sha256) => readStored(sha256, () => store.open(sha256)),
    signedAddress: (sha256, options) => asStorageProblem(() => store.signedAddress(sha256, options)),
    ...freeDisk,
    createWorkDir: async () => {
      await freeDisk.requireFree()
      return asStorageProblem(() => store.createWorkDir())
    },
    clearWorkDirs: () => asStorageProblem(() => store.clearWorkDirs()),
    // One check at a time: on a disk that does not respond, each would occupy one of the few threads for file access.
    check: reuseBriefly(() => asStorageProblem(() => store.check()), CHECKED_MS),
    close: () => store.close(),
  }
}

const CHUNK_BYTES = 256 * 1024

/** The size of a file, whose bytes must be those of the hash: what lies under a name is never looked at again. */
async function requireContent(path: string, sha256: string): Promise<number> {
  requireSha256(sha256)
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(path)
  try {
    // One buffer for all of the file: a stream would take another for each part, and V8 collects what it has for them.
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let part = await file.read(buffer); part.bytesRead > 0; part = await file.read(buffer)) {
      hash.update(buffer.subarray(0, part.bytesRead))
      bytes += part.bytesRead
    }
  } finally {
    await file.close()
  }
  if (hash.digest('hex') !== sha256) throw new Error(`a file that should be ${sha256} has other bytes`)
  return bytes
}

/** Before the bytes: from here on the collection leaves them alone. */
async function announce(db: Db, object: StoredObject, maxWaitMs: number): Promise<void> {
  for (let waitedMs = 0; !(await notePut(db, object)); waitedMs += DELETION_POLL_MS) {
    if (waitedMs >= maxWaitMs) throw storageUnavailable(new Error(`${object.sha256} is being deleted`))
    await pause(DELETION_POLL_MS)
  }
}

/** Anything but a fault of the disk, of the service or of what is stored is one of the program, and no client's business. */
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

/** Whether what was stored is gone or damaged: it should be there, whatever goes on at the moment. */
export function isDamage(problem: unknown): boolean {
  const { cause } = problem as { cause?: { code?: unknown } }
  return ['ENOENT', 'NoSuchKey', 'NotFound', 'WRONG_BYTES'].includes(String(cause?.code))
}
