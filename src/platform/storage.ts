import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'

/**
 * Keeps bytes under their SHA-256. Equal bytes are kept once, and a name never changes its meaning,
 * so that reading needs no locks and a caller may cache for ever.
 */
export interface Storage {
  /** Takes over a finished file (it is moved). When the promise resolves, the bytes survive a power cut. */
  adopt(file: { path: string; sha256: string }): Promise<void>
  /** A path from which the bytes can be read on this machine. */
  localPath(sha256: string): Promise<string>
  open(sha256: string): Promise<{ stream: Readable; bytes: number }>
  /** A new empty folder on the same file system, for files that are still being written. The caller removes it. */
  createWorkDir(): Promise<string>
}

/** Storage in a folder: `blobs/ab/abcdef...`, and `tmp/` beside it. */
export async function openFileStorage(root: string): Promise<Storage> {
  const workRoot = join(root, 'tmp')
  await mkdir(workRoot, { recursive: true, mode: 0o700 })
  await removeAbandoned(workRoot)
  await mkdir(join(root, 'blobs'), { recursive: true, mode: 0o700 })

  const blobPath = (sha256: string): string => {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('not a SHA-256 in hexadecimal')
    return join(root, 'blobs', sha256.slice(0, 2), sha256)
  }

  return {
    adopt: async ({ path, sha256 }) => {
      const target = blobPath(sha256)
      await syncFile(path)
      if (await createDirDurably(dirname(target))) await syncDir(join(root, 'blobs'))
      await rename(path, target)
      await syncDir(dirname(target))
    },
    localPath: async (sha256) => {
      const path = blobPath(sha256)
      await access(path)
      return path
    },
    open: async (sha256) => {
      const path = blobPath(sha256)
      const { size } = await stat(path)
      return { stream: createReadStream(path), bytes: size }
    },
    createWorkDir: async () => {
      const dir = join(workRoot, randomUUID())
      await mkdir(dir, { mode: 0o700 })
      return dir
    },
  }
}

/** Nothing is written for this long: an older work folder was left by a process that was killed. */
const ABANDONED_MS = 24 * 3600 * 1000

/** Other processes may be at work in the same storage, so only old work folders are removed. */
async function removeAbandoned(workRoot: string): Promise<void> {
  for (const name of await readdir(workRoot)) {
    const path = join(workRoot, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true })
  }
}

async function createDirDurably(path: string): Promise<boolean> {
  return (await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** A renamed file survives a power cut only when its folder was flushed too. */
async function syncDir(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const dir = await open(path, 'r')
  try {
    await dir.sync()
  } finally {
    await dir.close()
  }
}
