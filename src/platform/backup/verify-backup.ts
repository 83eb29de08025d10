import { forEachAtOnce } from '../concurrency/for-each.ts'
import { inspectObject } from '../storage/index.ts'
import { readObjectList } from './copy-objects.ts'
import { BackupError } from './format/backup-error.ts'
import type { Manifest, Unsealed } from './format/manifest.ts'
import { readPart } from './format/parts.ts'
import type { BackupSource } from './format/places.ts'

const CONCURRENCY = 4

/** Reads the dump of the database completely. @throws {BackupError} if a part is missing or damaged */
export async function verifyDatabase(source: BackupSource, { database }: Unsealed): Promise<void> {
  for (const { name, part } of database.tables) await readPart(source, `The table ${name}`, part)
}

/**
 * Reads a backup completely and compares everything with its checksums.
 *
 * @throws {BackupError} if anything is missing or damaged
 */
export async function verifyBackup(source: BackupSource, manifest: Manifest): Promise<void> {
  await verifyDatabase(source, manifest)
  const missing = new Set(manifest.storage.missing)
  const damaged: string[] = []
  await forEachAtOnce(readObjectList(source, manifest.storage.list), CONCURRENCY, async ({ sha256 }) => {
    if (!missing.has(sha256) && (await inspectObject(source, sha256)) !== 'intact') damaged.push(sha256)
  })
  if (damaged.length > 0) {
    throw new BackupError(
      `${damaged.length} stored files of the backup ${manifest.id} are missing or damaged, such as ${damaged[0]}. Make a ` +
        'new backup, or restore another one.',
    )
  }
}
