import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirDurably, syncDir } from '../../file-system/durable-files.ts'
import { openFileStore, requireSha256 } from '../../storage/index.ts'
import { BackupError } from '../format/backup-error.ts'
import { fileOf, idsIn } from '../format/file-names.ts'
import type { BackupSource, BackupTarget } from '../format/places.ts'

const MANIFESTS = 'backups'

/** Opens backups in a folder for reading. Writes nothing, so the folder may be on a disk that is mounted read-only. */
export async function openFolderSource(root: string): Promise<BackupSource> {
  const found = await stat(root).catch(() => undefined)
  if (found?.isDirectory() !== true) throw new BackupError(`The folder ${root} does not exist.`)
  return readFolder(root)
}

/** Opens a folder for backups. Creates the folder if it does not exist. */
export async function openFolderTarget(root: string): Promise<BackupTarget> {
  const store = await openFileStore(root)
  const manifests = join(root, MANIFESTS)
  await makeDirDurably(manifests)
  return {
    ...readFolder(root),
    list: store.list,
    put: store.put,
    remove: store.remove,
    createWorkDir: store.createWorkDir,
    writeManifest: async (id, bytes) => {
      const workDir = await store.createWorkDir()
      try {
        const path = join(workDir, id)
        await writeFile(path, bytes, { mode: 0o600, flush: true })
        await rename(path, join(manifests, fileOf(id)))
        await syncDir(manifests)
      } finally {
        await rm(workDir, { recursive: true, force: true })
      }
    },
    removeManifest: async (id) => {
      await rm(join(manifests, fileOf(id)))
      await syncDir(manifests)
    },
    close: store.close,
  }
}

function readFolder(root: string): BackupSource {
  const manifests = join(root, MANIFESTS)
  return {
    place: root,
    open: async (sha256) => {
      const file = await open(join(root, 'blobs', requireSha256(sha256).slice(0, 2), sha256))
      return { stream: file.createReadStream() }
    },
    listIds: async () => idsIn(await readdir(manifests).catch(ifMissing([]))),
    readManifest: (id) => readFile(join(manifests, fileOf(id))).catch(ifMissing(undefined)),
    close: async () => undefined,
  }
}

function ifMissing<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return value
    throw error
  }
}
