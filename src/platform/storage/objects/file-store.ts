import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { access, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDirDurably, syncDir, syncFile } from '../../file-system/durable-files.ts'
import { createFlushTurns } from './flush-turns.ts'
import { inspectObject } from './inspect-object.ts'
import {
  type Announcement,
  type NewObject,
  type ObjectStore,
  requireSha256,
  type StoredObject,
} from './object-store.ts'
import { clearWorkDirs, createWorkDir, removeAbandoned } from './work-dirs.ts'

/** Size of the file that a check writes. A full disk cannot accept it by chance. */
const PROBE_BYTES = 4096

/**
 * Longest time of a removal, which takes milliseconds. A file that has been in the folder for longer was left by a
 * process that was killed or suspended.
 */
const REMOVAL_MS = 2 * 60 * 1000

/** The first two digits of all hashes. */
const SHARDS = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'))

/**
 * Opens a store that keeps bytes in a folder: `blobs/ab/abcdef...`, with `tmp/` beside it. Several processes may use
 * the folder, on one computer or on a shared file system.
 *
 * A file to remove is first renamed into `removing/`. If another process has stored the same bytes in the meantime, the
 * file is renamed back.
 *
 * A file is flushed before it gets its final name, and its folder is flushed afterwards. Every file with a final name
 * is therefore complete, and the same bytes are not written again, unless the disk has damaged them. One flush runs at a
 * time, in rotation of callers.
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
      // Checked after the rename. A file that was stored before the rename is the renamed file, and a file that is
      // stored later is a new one.
      if (!(await isAnnounced())) throw new Error(`${sha256}: another process has taken over its removal`)
    } catch (error) {
      await putBack(path, sha256)
      throw error
    }
    await rm(path, { force: true })
  }

  /**
   * Renames files of abandoned removals back. This includes bytes without references, which the collection deletes
   * later.
   */
  const undoAbandonedRemovals = async (): Promise<void> => {
    for (const name of await readdir(removalRoot)) {
      const path = join(removalRoot, name)
      const found = await stat(path).catch(() => undefined)
      // The change time of the file is the time of the rename. The modification time is that of its bytes.
      if (found === undefined || Date.now() - found.ctimeMs <= REMOVAL_MS) continue
      const [sha256 = ''] = name.split('.')
      await putBack(path, sha256).catch((error: NodeJS.ErrnoException) => {
        // Another process has already renamed the file back.
        if (error.code !== 'ENOENT') throw error
      })
    }
  }
  await undoAbandonedRemovals()

  const flushTurns = createFlushTurns()

  const openFile = async (sha256: string) => {
    const file = await open(pathOf(sha256))
    const { size } = await file.stat()
    return { stream: file.createReadStream(), bytes: size }
  }

  const put = async ({ path, sha256, bytes }: NewObject): Promise<void> => {
    const target = pathOf(sha256)
    // A file is uploaded again also because its stored bytes are damaged. Reading them takes less time than receiving
    // the file. They are read before the turn, in which other files would wait for a slow disk.
    const isDamaged = (await isFileOf(target, bytes)) && (await inspectObject({ open: openFile }, sha256)) === 'damaged'
    await flushTurns.run(async () => {
      // Looks in the turn, because equal bytes may have waited before these. Bytes of another length are damaged.
      if (!isDamaged && (await isFileOf(target, bytes))) await rm(path)
      else {
        await syncFile(path)
        await rename(path, target)
      }
      // Another process may have renamed the file and not flushed its folder yet.
      await syncDir(dirname(target))
    })
  }

  return {
    put,
    localPath: async (sha256) => {
      const path = pathOf(sha256)
      await access(path)
      return path
    },
    open: openFile,
    signedUrl: async () => undefined,
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
 * Creates and flushes all folders before the first file. If a file system is unmounted later, the folders are missing,
 * and the store cannot continue in the empty mount point by mistake.
 */
async function prepare({ root, workRoot, blobRoot, removalRoot }: Folders): Promise<void> {
  for (const dir of [root, workRoot, blobRoot, removalRoot]) await makeDirDurably(dir)
  const there = new Set(await readdir(blobRoot))
  const missing = SHARDS.filter((shard) => !there.has(shard))
  // Synchronous calls take a sixth of the processor time, and nothing is served before the folders exist.
  for (const shard of missing) mkdirSync(join(blobRoot, shard), { recursive: true, mode: 0o700 })
  // Flushes existing folders as well, because the process that created them may have been killed before it flushed
  // them.
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

/** Tells whether the path is a file with as many bytes. */
async function isFileOf(path: string, bytes: number): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  return found?.isFile() === true && found.size === bytes
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
