import { sql } from 'kysely'
import pLimit from 'p-limit'
import type { DatabasePool, Db } from '../db/index.ts'
import { withCollectionLock } from '../storage/index.ts'
import { readObjectList, readSizes } from './copy-objects.ts'
import { listBackups } from './find-backup.ts'
import { BackupError } from './format/backup-error.ts'
import type { Manifest } from './format/manifest.ts'
import type { BackupTarget } from './format/places.ts'
import { type Retention, selectForSecrets, selectKept } from './retention.ts'

export interface PruneDeps {
  database: DatabasePool
  target: BackupTarget
}

export interface PruneBackupsOptions {
  dryRun: boolean
  /** Restores to each point in time from this one on need the secrets of backups. Undefined: there are none. */
  pointsSince?: Date | undefined
}

export interface Pruned {
  kept: Manifest[]
  /** Ids of the kept backups that only stay for their secret. */
  forSecret: ReadonlySet<string>
  removed: Manifest[]
  /** The files that no kept backup needs. */
  files: number
  bytes: number
}

const CONCURRENCY = 4

/**
 * Removes backups that the rules do not keep, and the files that no other backup needs.
 *
 * What stays is determined completely before anything is removed. The manifests are removed first, so that a manifest
 * never lacks its files, and a prune that was killed is completed by the next one. Backups of this installation wait
 * meanwhile, because they could rely on files that are being removed.
 *
 * @throws {BackupError} if a backup is being made, or if what a backup needs is unknown. Nothing was removed then
 */
export async function pruneBackups(
  { database, target }: PruneDeps,
  retention: Retention,
  { dryRun, pointsSince }: PruneBackupsOptions,
): Promise<Pruned> {
  const pruned = await withCollectionLock({ database }, async ({ db }) => {
    const manifests = await readAll(target)
    const selected = selectKept(manifests, retention)
    const secrets = pointsSince === undefined ? new Set<string>() : selectForSecrets(manifests, pointsSince)
    const [ids, forSecret] = [selected.union(secrets), secrets.difference(selected)]
    const [kept, removed] = [manifests.filter(({ id }) => ids.has(id)), manifests.filter(({ id }) => !ids.has(id))]
    const unneeded = await findUnneeded(target, kept)
    if (!dryRun) await remove(db, target, removed, [...unneeded.keys()])
    const bytes = unneeded.values().reduce((sum, size) => sum + size, 0)
    return { kept, forSecret, removed, files: unneeded.size, bytes }
  })
  if (pruned !== undefined) return pruned
  throw new BackupError(
    'A backup is being made, or unused files of the storage are being deleted. Nothing was removed. Try again later.',
  )
}

async function readAll(target: BackupTarget): Promise<Manifest[]> {
  const listed = await listBackups(target)
  if (listed.length === 0) throw new BackupError(`${target.place} contains no complete backup. Nothing was removed.`)
  return listed.map(({ id, manifest }) => {
    if (manifest !== undefined) return manifest
    throw new BackupError(
      `The manifest of the backup ${id} cannot be read, so the files that it needs are unknown. Nothing was removed. ` +
        'Use the version of Platen that made it, or restore the manifest, or delete it if you give this backup up.',
    )
  })
}

/** Returns the sizes of the files that no kept backup needs. */
async function findUnneeded(target: BackupTarget, kept: readonly Manifest[]): Promise<Map<string, number>> {
  const sizes = await readSizes(target)
  const needed = new Set<string>()
  for (const { id, database, storage } of kept) {
    const missing = new Set(storage.missing)
    const need = ({ sha256, bytes }: { sha256: string; bytes: number }): void => {
      needed.add(sha256)
      if (sizes.get(sha256) === bytes || missing.has(sha256)) return
      const fault = sizes.has(sha256) ? 'has another size of' : 'lacks'
      throw new BackupError(
        `The backup ${id} ${fault} the file ${sha256}, so an older backup may be the last good one. Nothing was removed. ` +
          'Run "platen backup verify", and make a new backup.',
      )
    }
    for (const { file } of [...database.tables.map(({ part }) => part), storage.list]) need(file)
    for await (const object of readObjectList(target, storage.list)) need(object)
  }
  return new Map([...sizes].filter(([sha256]) => !needed.has(sha256)))
}

async function remove(
  db: Db,
  target: BackupTarget,
  manifests: readonly Manifest[],
  files: readonly string[],
): Promise<void> {
  // Fails if the connection that holds the lock has been lost, because a backup may then have begun.
  const requireLock = async (): Promise<true> => {
    await sql`select 1`.execute(db)
    return true
  }
  for (const { id } of manifests) {
    await requireLock()
    await target.removeManifest(id)
  }
  const limit = pLimit(CONCURRENCY)
  await limit.map(files, async (sha256) => {
    await requireLock()
    await target.remove(sha256, { untilMs: Date.now() + REMOVE_WITHIN_MS, isAnnounced: requireLock })
  })
}

const REMOVE_WITHIN_MS = 60_000
