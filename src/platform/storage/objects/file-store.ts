import { randomUUID } from 'node:crypto'
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDirDurably, syncDir, syncFile } from './durable-files.ts'
import {
  type Announcement,
  type NewObject,
  type ObjectStore,
  requireSha256,
  type StoredObject,
} from './object-store.ts'
import { clearWorkDirs, createWorkDir, removeAbandoned } from './work-dirs.ts'

/** More than a full disk still takes by chance. */
const PROBE_BYTES = 4096

/** Removing takes milliseconds: what lies there longer was left by a process that was killed, or that stands still. */
const REMOVAL_MS = 2 * 60 * 1000

/** The first two digits of all hashes. */
const SHARDS = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'))

/**
 * Keeps bytes in a folder: `blobs/ab/abcdef...`, and `tmp/` beside it. Several processes may use it, on one machine or
 * on a shared file system.
 *
 * What is removed is first renamed into `removing/`: should the removal turn out to be overtaken, by a process that stored
 * the same bytes anew, it is renamed back.
 *
 * A file is flushed before it is renamed to its name, and the folder with the name after that: what has a name is whole.
 */
export async function openFileStore(root: string): Promise<ObjectStore> {
  const workRoot = join(root, 'tmp')
  const blobRoot = join(root, 'blobs')
  const removalRoot = join(root, 'removing')
  await prepare({ root, workRoot, blobRoot, removalRoot })
  const pathOf = (sha256: string): string => join(blobRoot, requireSha256(sha256).slice(0, 2), sha256)

  const putBack = async (path: string, sha256: string): Promise<void> => {
    const target = pathOf(sha256)
    await rename(path, target)
    await syncDir(dirname(target))
  }

  const remove = async (sha256: string, { isAnnounced }: Announcement): Promise<void> => {
    const path = join(removalRoot, `${requireSha256(sha256)}.${randomUUID()}`)
    if (!(await moveIfThere(pathOf(sha256), path))) return
    try {
      // Asked after the renaming: what was stored before it is in our hands, what is stored after it has another name.
      if (!(await isAnnounced())) throw new Error(`${sha256}: another process went on with its removal`)
    } catch (error) {
      await putBack(path, sha256)
      throw error
    }
    await rm(path, { force: true })
  }

  /** Bytes that nobody needs come back too; they are collected again. */
  const undoAbandonedRemovals = async (): Promise<void> => {
    for (const name of await readdir(removalRoot)) {
      const path = join(removalRoot, name)
      const found = await stat(path).catch(() => undefined)
      // Of a renaming that is the time when the file changed, not its bytes.
      if (found === undefined || Date.now() - found.ctimeMs <= REMOVAL_MS) continue
      const [sha256 = ''] = name.split('.')
      await putBack(path, sha256).catch((error: NodeJS.ErrnoException) => {
        // Another process was faster.
        if (error.code !== 'ENOENT') throw error
      })
    }
  }
  await undoAbandonedRemovals()

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
    remove,
    removeLeftovers: async () => {
      await undoAbandonedRemovals()
      return removeAbandoned(workRoot)
    },
    check: async () => {
      await access(join(blobRoot, 'ff'))
      await probe(join(workRoot, `probe-${randomUUID()}`))
    },
    clearWorkDirs: () => clearWorkDirs(workRoot),
    createWorkDir: () => createWorkDir(workRoot),
    close: async () => undefined,
  }
}

interface Folders {
  root: string
  workRoot: string
  blobRoot: string
  removalRoot: string
}

/**
 * All folders are made and flushed before the first file: later on, a file system that was taken away shows as missing
 * folders, rather than being continued in the empty place that it leaves.
 */
async function prepare({ root, workRoot, blobRoot, removalRoot }: Folders): Promise<void> {
  for (const dir of [root, workRoot, blobRoot, removalRoot]) await makeDirDurably(dir)
  const there = new Set(await readdir(blobRoot))
  const missing = SHARDS.filter((shard) => !there.has(shard))
  await Promise.all(missing.map((shard) => mkdir(join(blobRoot, shard), { recursive: true, mode: 0o700 })))
  // Also where nothing was missing: whoever made them may have been killed before this.
  for (const dir of [blobRoot, root, dirname(root)]) await syncDir(dir)
  await removeAbandoned(workRoot)
}

async function moveIfThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
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
