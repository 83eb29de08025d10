import { randomUUID } from 'node:crypto'
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDirDurably, syncDir, syncFile } from './durable-files.ts'
import { type NewObject, type ObjectStore, requireSha256, type StoredObject } from './object-store.ts'
import { createWorkDir, removeAbandoned } from './work-dirs.ts'

/** More than a full disk still takes by chance. */
const PROBE_BYTES = 4096

/** The first two digits of all hashes. */
const SHARDS = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'))

/**
 * Keeps bytes in a folder: `blobs/ab/abcdef...`, and `tmp/` beside it. Several processes may use it, on one machine or
 * on a shared file system.
 *
 * A file is flushed before it is renamed to its name, and the folder with the name after that: what has a name is whole.
 */
export async function openFileStore(root: string): Promise<ObjectStore> {
  const workRoot = join(root, 'tmp')
  const blobRoot = join(root, 'blobs')
  await prepare(root, workRoot, blobRoot)
  const pathOf = (sha256: string): string => join(blobRoot, requireSha256(sha256).slice(0, 2), sha256)

  return {
    put: async ({ path, sha256 }: NewObject) => {
      const target = pathOf(sha256)
      await syncFile(path)
      await rename(path, target)
      await syncDir(dirname(target))
    },
    localPath: async (sha256) => {
      const path = pathOf(sha256)
      await access(path)
      return path
    },
    open: async (sha256) => {
      const file = await open(pathOf(sha256))
      const { size } = await file.stat()
      return { stream: file.createReadStream(), bytes: size }
    },
    signedAddress: async () => undefined,
    list: () => listFiles(blobRoot),
    remove: (sha256) => rm(pathOf(sha256), { force: true }),
    removeLeftovers: () => removeAbandoned(workRoot),
    check: async () => {
      await access(join(blobRoot, 'ff'))
      await probe(join(workRoot, `probe-${randomUUID()}`))
    },
    createWorkDir: () => createWorkDir(workRoot),
    close: async () => undefined,
  }
}

/**
 * All folders are made and flushed before the first file: later on, a file system that was taken away shows as missing
 * folders, rather than being continued in the empty place that it leaves.
 */
async function prepare(root: string, workRoot: string, blobRoot: string): Promise<void> {
  for (const dir of [root, workRoot, blobRoot]) await makeDirDurably(dir)
  const there = new Set(await readdir(blobRoot))
  const missing = SHARDS.filter((shard) => !there.has(shard))
  await Promise.all(missing.map((shard) => mkdir(join(blobRoot, shard), { recursive: true, mode: 0o700 })))
  // Also where nothing was missing: whoever made them may have been killed before this.
  for (const dir of [blobRoot, root, dirname(root)]) await syncDir(dir)
  await removeAbandoned(workRoot)
}

async function* listFiles(blobRoot: string): AsyncGenerator<StoredObject[]> {
  for (const shard of SHARDS) {
    const dir = join(blobRoot, shard)
    const names = (await readdir(dir)).filter((name) => /^[0-9a-f]{64}$/.test(name))
    const objects: StoredObject[] = []
    for (const sha256 of names) {
      const found = await stat(join(dir, sha256)).catch(() => undefined)
      if (found?.isFile() === true) objects.push({ sha256, bytes: found.size })
    }
    if (objects.length > 0) yield objects
  }
}

async function probe(path: string): Promise<void> {
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(Buffer.alloc(PROBE_BYTES, 1))
      await file.datasync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(path, { force: true })
  }
}
