import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { runForAll } from '../../concurrency/request-context.ts'
import { makeDirDurably, syncFile } from '../../file-system/durable-files.ts'
import { createFlushTurns } from '../objects/flush-turns.ts'
import { type FreeDisk, UNWATCHED_DISK } from '../objects/free-disk.ts'
import { requireSha256 } from '../objects/object-store.ts'

/** Time for which a requested file counts as in use. No drawing waits and runs for longer than this. */
const IN_USE_MS = 30 * 60 * 1000

/** Share of the maximum size that remains after a clean-up, so that the next clean-up is not needed immediately. */
const KEEP_SHARE = 0.9

/** Number of additions after which the folder is listed again, because other processes add files too. */
const RECOUNT_EVERY = 100

export class WrongBytes extends Error {
  override readonly name = 'WrongBytes'
  readonly code = 'WRONG_BYTES'
}

/** A cache of stored bytes on this computer, for programs that need a path. Several processes may share the folder. */
export interface LocalCache {
  /**
   * Returns a path to the bytes, which is valid for half an hour. If the cache does not contain the bytes, `fetch` gets
   * them.
   */
  path(sha256: string, fetch: () => Promise<Readable>): Promise<string>
  /** Adds a file whose bytes have this hash, by moving it. It is not in use until `path` returns it. */
  add(path: string, sha256: string): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a cache in a folder. While too little disk space is free, new files are rejected (`storage_unavailable`). If
 * the cache exceeds `maxBytes`, the least recently used files are removed, but no file that was used in the last half
 * hour.
 */
export async function openLocalCache(
  root: string,
  maxBytes: number,
  { requireFree }: Pick<FreeDisk, 'requireFree'> = UNWATCHED_DISK,
): Promise<LocalCache> {
  const blobRoot = join(root, 'blobs')
  const workRoot = join(root, 'tmp')
  for (const dir of [blobRoot, workRoot]) await makeDirDurably(dir)
  const fetching = new Map<string, Promise<string>>()
  const flushTurns = createFlushTurns()
  const room = await keepRoom(blobRoot, maxBytes)
  const pathOf = (sha256: string): string => join(blobRoot, requireSha256(sha256).slice(0, 2), sha256)

  const add = async (path: string, sha256: string, usedAtMs: number): Promise<string> => {
    const target = pathOf(sha256)
    // Flushes the file. Otherwise a power failure could leave the name with other bytes.
    await flushTurns.run(() => syncFile(path))
    const { size } = await stat(path)
    await setUsedAt(path, usedAtMs)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await rename(path, target)
    room.added(size)
    return target
  }

  const bring = async (sha256: string, fetch: () => Promise<Readable>): Promise<string> => {
    await requireFree()
    const path = join(workRoot, randomUUID())
    try {
      await download(await fetch(), path, sha256)
      return await add(path, sha256, Date.now())
    } finally {
      await rm(path, { force: true })
    }
  }

  return {
    path: async (sha256, fetch) => {
      const path = pathOf(sha256)
      if (await touch(path)) return path
      // Requests for the same bytes at the same time share one fetch, so it does not wait for the turn of one of them.
      const underWay =
        fetching.get(sha256) ?? runForAll(() => bring(sha256, fetch)).finally(() => fetching.delete(sha256))
      fetching.set(sha256, underWay)
      return underWay
    },
    add: async (path, sha256) => {
      // Keeps the time at which the file was used.
      if ((await readUsedAt(pathOf(sha256))) !== undefined) await rm(path)
      // Uploads can be fetched again, so many of them must not exceed the limit for half an hour.
      else await add(path, sha256, Date.now() - IN_USE_MS)
    },
    close: () => room.settled(),
  }
}

/** Records that a file is in use. Returns whether the file exists. */
async function touch(path: string): Promise<boolean> {
  return setUsedAt(path, Date.now()).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
}

async function setUsedAt(path: string, atMs: number): Promise<void> {
  await utimes(path, atMs / 1000, atMs / 1000)
}

/** Returns when a file was used last, in milliseconds. Undefined if it cannot be read. */
async function readUsedAt(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  )
}

async function download(source: Readable, path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256')
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(source, hashed, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  if (hash.digest('hex') !== sha256) throw new WrongBytes(`the bytes that are stored as ${sha256} have another hash`)
}

/** Tracks the size of the folder and removes files when it exceeds the limit. */
async function keepRoom(blobRoot: string, maxBytes: number) {
  let known = sum(await listOldestFirst(blobRoot))
  let additions = 0
  let cleaning: Promise<void> | undefined

  const clean = async (): Promise<void> => {
    const files = await listOldestFirst(blobRoot)
    known = sum(files)
    if (known <= maxBytes) return
    for (const { path, bytes, usedAtMs } of files) {
      if (known <= maxBytes * KEEP_SHARE || Date.now() - usedAtMs < IN_USE_MS) return
      // The file may have been used since the folder was listed.
      if ((await readUsedAt(path)) !== usedAtMs) continue
      await rm(path, { force: true })
      known -= bytes
    }
  }

  return {
    added: (bytes: number): void => {
      known += bytes
      additions += 1
      if ((known <= maxBytes && additions % RECOUNT_EVERY !== 0) || cleaning !== undefined) return
      cleaning = clean()
        // Ignores the error, because the next added file starts another clean-up.
        .catch(() => undefined)
        .finally(() => {
          cleaning = undefined
        })
    },
    settled: async (): Promise<void> => cleaning,
  }
}

interface CachedFile {
  path: string
  bytes: number
  usedAtMs: number
}

async function listOldestFirst(blobRoot: string): Promise<CachedFile[]> {
  const entries = await readdir(blobRoot, { recursive: true, withFileTypes: true })
  const files: CachedFile[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined) files.push({ path, bytes: found.size, usedAtMs: found.mtimeMs })
  }
  return files.sort((a, b) => a.usedAtMs - b.usedAtMs)
}

function sum(files: readonly CachedFile[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0)
}
