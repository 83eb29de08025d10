import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { DatabasePool, Db } from '../db/index.ts'
import { listReferenced, type ObjectStore, pauseCollection, type StorageReferences } from '../storage/index.ts'
import { type CopiedObjects, copyObjects, readObjectList, readSizes, toListLine } from './copy-objects.ts'
import { type Snapshot, withSnapshot } from './database/snapshot.ts'
import { BackupError } from './format/backup-error.ts'
import {
  countRows,
  encodeManifest,
  type Manifest,
  newBackupId,
  newManifest,
  type Part,
  type Unsealed,
} from './format/manifest.ts'
import { writePart } from './format/parts.ts'
import type { BackupTarget } from './format/places.ts'
import { sealSecret } from './format/sealed-secret.ts'
import { verifyDatabase } from './verify-backup.ts'

export interface BackupDeps {
  database: DatabasePool
  store: Pick<ObjectStore, 'open'>
  /** The references of every feature to stored objects. */
  references: readonly StorageReferences[]
  target: BackupTarget
  /** The version of this program. */
  program: string
  /** Reports progress. */
  report(line: string): void
}

export interface BackupOptions {
  /** The secret of the service and the passphrase that encrypts it. Undefined: the backup does not contain it. */
  secret: { bytes: Buffer; passphrase: string } | undefined
  /** Whether to make the backup although stored objects are missing or damaged. */
  allowsMissing: boolean
}

/**
 * Makes a backup while the service runs.
 *
 * The database is read first, in one snapshot, then the objects to which it refers. No object is deleted in between,
 * because the collection is paused. The manifest is written last, after everything else was verified.
 *
 * @throws {BackupError} if the backup would not be complete. The place then contains no new backup
 */
export async function createBackup(deps: BackupDeps, options: BackupOptions): Promise<Manifest> {
  const { database, target, report } = deps
  const pause = await pauseCollection(database, () => report('Waiting until unused files are deleted.'))
  try {
    const workDir = await target.createWorkDir()
    try {
      const content = await withSnapshot(database, (snapshot) => readSnapshot(deps, snapshot, workDir))
      const missing = await copyStorage(deps, content, workDir, options)
      // If the pause had ended earlier, objects may have been deleted before they were copied.
      await pause.requireHeld()
      const unsealed = { ...content, storage: { ...content.storage, missing } }
      await verifyWritten(target, unsealed)
      const manifest = { ...unsealed, secret: await sealed(options, unsealed) }
      await target.writeManifest(manifest.id, encodeManifest(manifest))
      return manifest
    } finally {
      await rm(workDir, { recursive: true, force: true })
    }
  } finally {
    await pause.end()
  }
}

async function readSnapshot(
  { references, target, program, report }: BackupDeps,
  snapshot: Snapshot,
  workDir: string,
): Promise<Unsealed> {
  const write = (rows: Readable) => writePart(target, workDir, rows)
  const database = await snapshot.dump(write)
  report(`Database: ${countRows(database)} rows in ${database.tables.length} tables.`)
  const storage = { ...(await writeObjectList(snapshot.db, references, write)), missing: [] }
  const { takenAt } = snapshot
  return newManifest({ id: newBackupId(takenAt), takenAt: takenAt.toISOString(), program, database, storage })
}

async function writeObjectList(
  db: Db,
  references: readonly StorageReferences[],
  write: (rows: Readable) => Promise<Part>,
): Promise<{ objects: number; bytes: number; list: Part }> {
  let [objects, bytes] = [0, 0]
  const lines = async function* () {
    for await (const batch of listReferenced(db, references)) {
      objects += batch.length
      bytes += batch.reduce((sum, object) => sum + object.bytes, 0)
      if (batch.length > 0) yield Buffer.from(batch.map(toListLine).join(''))
    }
  }
  const list = await write(Readable.from(lines(), { objectMode: false }))
  return { objects, bytes, list }
}

/** Copies the objects. Returns those that could not be copied. */
async function copyStorage(
  { store, target, report }: BackupDeps,
  { storage }: Unsealed,
  workDir: string,
  { allowsMissing }: BackupOptions,
): Promise<string[]> {
  const listed = readObjectList(target, storage.list)
  const result: CopiedObjects = await copyObjects(listed, { from: store, to: target, workDir })
  const { copied, bytes, damaged } = result
  const old = storage.objects - copied - damaged.length
  report(`Stored files: ${copied} copied (${bytes} bytes), ${old} were in the target already.`)
  if (damaged.length > 0 && !allowsMissing) {
    throw new BackupError(
      `${damaged.length} stored files are missing or damaged, such as ${damaged[0]}. No backup was made. Run ` +
        '"platen storage verify" for their list. To make a backup without them, add --allow-missing.',
    )
  }
  return damaged.sort()
}

/** Verifies the database completely, and that each object is there in its size. */
async function verifyWritten(target: BackupTarget, manifest: Unsealed): Promise<void> {
  await verifyDatabase(target, manifest)
  const missing = new Set(manifest.storage.missing)
  const sizes = await readSizes(target)
  for await (const { sha256, bytes } of readObjectList(target, manifest.storage.list)) {
    if (missing.has(sha256) || sizes.get(sha256) === bytes) continue
    throw new BackupError(`${target.place} does not contain the stored file ${sha256}. No backup was made.`)
  }
}

async function sealed({ secret }: BackupOptions, manifest: Unsealed): Promise<Manifest['secret']> {
  return secret === undefined ? null : sealSecret(secret.bytes, secret.passphrase, manifest)
}
