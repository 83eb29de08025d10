import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeDirDurably, syncFile } from '../objects/durable-files.ts'
import { type FreeDisk, UNWATCHED_DISK } from '../objects/free-disk.ts'
import { requireSha256 } from '../objects/object-store.ts'

/** Files that were asked for within this time are in use: no drawing waits and works that long. */
const IN_USE_MS = 30 * 60 * 1000

/** After a clean-up there is room for a while. */
const KEEP_SHARE = 0.9

/** Files of another process count only when the folder is looked through; so often that is done at least. */
const RECOUNT_EVERY = 100

export class WrongBytes extends Error {
  override readonly name = 'WrongBytes'
  readonly code = 'WRONG_BYTES'
}

/** Copies of stored bytes on this machine, for programs that need a path. Several processes may share the folder. */
export interface LocalCache {
  /** A path to the bytes, which `fetch` brings when they are not here. Good for half an hour. */
  path(sha256: string, fetch: () => Promise<Readable>): Promise<string>
  /** Takes over a file whose bytes are those of the hash. */
  add(path: string, sha256: string): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a cache in a folder. Without enough free disk space it takes no new copies (`storage_unavailable`).
 * When it holds more than `maxBytes`, the files that were not asked for longest go, but none
 * that was in the last half hour.
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
  const room = await keepRoom(blobRoot, maxBytes)
  const pathOf = (sha256: string): string => join(blobRoot, requireSha256(sha256).slice(0, 2), sha256)

  const add = async (path: string, sha256: string): Promise<string> => {
    const target = pathOf(sha256)
    // Flushed, or a power cut could leave the name with other bytes.
    await syncFile(path)
    const { size } = await stat(path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await rename(path, target)
    await touch(target)
    room.added(size)
    return target
  }

  const bring = async (sha256: string, fetch: () => Promise<Readable>): Promise<string> => {
    await requireFree()
    const path = join(workRoot, randomUUID())
    try {
      await download(await fetch(), path, sha256)
      return await add(path, sha256)
    } finally {
      await rm(path, { force: true })
    }
  }

  return {
    path: async (sha256, fetch) => {
      const path = pathOf(sha256)
      if (await touch(path)) return path
      // Whoever asks at the same moment waits for the same copy.
      const underWay = fetching.get(sha256) ?? bring(sha256, fetch).finally(() => fetching.delete(sha256))
      fetching.set(sha256, underWay)
      return underWay
    },
    add: async (path, sha256) => {
      await add(path, sha256)
    },
    close: () => room.settled(),
  }
}

/** Notes that a file is in use. Returns whether it is there. */
async function touch(path: string): Promise<boolean> {
  const now = new Date()
  return utimes(path, now, now).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
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
  if (hash.digest('hex') !== sha256) throw new WrongBytes(`what is stored as ${sha256} are other bytes`)
}

/** Counts what is in the folder, and removes files when that becomes too much. */
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
        // The next file tries again.
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
