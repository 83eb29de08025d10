import { type NamedFiles, openS3NamedFiles, openS3Store, requireSha256, type S3Settings } from '../../storage/index.ts'
import { fileOf, idsIn } from '../format/file-names.ts'
import type { BackupSource, BackupTarget } from '../format/places.ts'

const MANIFESTS = 'backups/'

/** Opens backups in a bucket for reading. */
export async function openBucketSource(settings: S3Settings, place: string): Promise<BackupSource> {
  return readBucket(await openS3NamedFiles(settings), place)
}

/**
 * Opens a bucket for backups.
 *
 * @param workRoot folder on this computer for files that are being written
 * @throws {S3SetupError} if the bucket cannot be written and read
 */
export async function openBucketTarget(settings: S3Settings, place: string, workRoot: string): Promise<BackupTarget> {
  const store = await openS3Store({ ...settings, cacheBytes: 0 }, workRoot)
  const files = await openS3NamedFiles(settings)
  await store.removeLeftovers()
  return {
    ...readBucket(files, place),
    list: store.list,
    put: store.put,
    remove: store.remove,
    createWorkDir: store.createWorkDir,
    writeManifest: (id, bytes) => files.write(`${MANIFESTS}${fileOf(id)}`, bytes),
    removeManifest: (id) => files.remove(`${MANIFESTS}${fileOf(id)}`),
    close: async () => {
      files.close()
      await store.close()
    },
  }
}

function readBucket(files: NamedFiles, place: string): BackupSource {
  return {
    place,
    open: async (sha256) => ({ stream: await files.open(`blobs/${requireSha256(sha256).slice(0, 2)}/${sha256}`) }),
    listIds: async () => idsIn((await files.list(MANIFESTS)).map((name) => name.slice(MANIFESTS.length))),
    readManifest: (id) => files.read(`${MANIFESTS}${fileOf(id)}`),
    close: async () => files.close(),
  }
}
