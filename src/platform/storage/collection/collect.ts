import type { Db, Trx } from '../../db/index.ts'
import type { Log } from '../../telemetry/log.ts'
import { type ObjectStore, RemovalUncertain, type StoredObject } from '../objects/object-store.ts'
import type { StorageReferences } from '../objects/references.ts'
import {
  findOldObjects,
  findReferenced,
  forgetDeleted,
  isMarked,
  lockOldObjects,
  markDeleting,
  noteFound,
  unmarkDeleting,
} from '../objects/store.ts'

/** How long bytes may be stored before the row that refers to them is written. Requests and jobs take only minutes. */
export const GRACE_SECONDS = 24 * 3600

const BATCH = 500

/**
 * Announced deletions are done within this time or left to the next run. After a longer time, a process that waits to
 * store the same bytes assumes that the announcing process was killed.
 */
const DELETE_WITHIN_MS = 60_000

const CONCURRENCY = 8

export interface CollectionDeps {
  db: Db
  store: ObjectStore
  log: Log
  /** The references of every feature. Bytes without a reference in any feature are deleted. */
  references: readonly StorageReferences[]
}

export interface Collected {
  /** Number of objects that were stored more than a day ago and could therefore be collected. */
  examined: number
  deleted: number
  bytes: number
  /** Number of work folders and files that killed processes left. */
  leftovers: number
}

/**
 * Deletes stored bytes that no row refers to and that were not stored again for a day.
 *
 * Two rules prevent the deletion of bytes that will get a reference. A process that stores bytes records the time
 * first, even if the bytes are already there. A transaction that writes a reference holds a lock on the row of the
 * object. The collection locks the rows of objects that seem to have no reference, searches for references again in one
 * statement, and marks objects without any. Until marked bytes are deleted, no process stores them again.
 *
 * @param options `dryRun`: reports what would be deleted, and deletes nothing
 */
export async function collect(deps: CollectionDeps, { dryRun = false } = {}): Promise<Collected> {
  const total: Collected = { examined: 0, deleted: 0, bytes: 0, leftovers: 0 }
  for (let after = ''; ; ) {
    const batch = await examineBatch(deps, after, dryRun)
    const deleted = dryRun ? batch.orphans : await deleteMarked(deps, batch)
    total.examined += batch.examined
    total.deleted += deleted.length
    total.bytes += deleted.reduce((sum, { bytes }) => sum + bytes, 0)
    if (batch.last === undefined) break
    after = batch.last
  }
  if (!dryRun) total.leftovers = await deps.store.removeLeftovers()
  return total
}

/**
 * Records stored objects that have no row, so that the collection can delete them a day later. Returns their number.
 */
export async function reconcileObjects({ db, store }: CollectionDeps): Promise<number> {
  let found = 0
  for await (const objects of store.list()) found += await noteFound(db, objects)
  return found
}

interface Batch {
  examined: number
  orphans: StoredObject[]
  /**
   * Time at which the deletion was announced, on the clock of this computer. This clock continues while the computer
   * sleeps.
   */
  announcedAtMs: number
  /** The mark that identifies the deletion. Undefined if nothing is to be deleted. */
  mark: Date | undefined
  /** Hash after which the next batch begins. Undefined after the last batch. */
  last: string | undefined
}

async function examineBatch({ db, references }: CollectionDeps, after: string, dryRun: boolean): Promise<Batch> {
  const old = await findOldObjects(db, { after, limit: BATCH, minAgeSeconds: GRACE_SECONDS })
  const candidates = await withoutReferences(db, references, old)
  const last = old.length < BATCH ? undefined : old.at(-1)?.sha256
  const announcedAtMs = Date.now()
  const found = { examined: old.length, announcedAtMs, last }
  if (dryRun || candidates.length === 0) return { ...found, orphans: candidates, mark: undefined }
  return db.transaction().execute(async (trx) => {
    const locked = await lockOldObjects(trx, hashesOf(candidates), { minAgeSeconds: GRACE_SECONDS })
    // Searches again after locking. From now on, no transaction can begin to refer to the locked objects.
    const orphans = await withoutReferences(trx, references, locked)
    return { ...found, orphans, mark: await markDeleting(trx, hashesOf(orphans)) }
  })
}

async function withoutReferences(
  db: Db | Trx,
  references: readonly StorageReferences[],
  objects: StoredObject[],
): Promise<StoredObject[]> {
  if (objects.length === 0) return []
  const referenced = await findReferenced(db, references, hashesOf(objects))
  return objects.filter(({ sha256 }) => !referenced.has(sha256))
}

/**
 * Deletes announced objects until an error occurs.
 *
 * @throws the error. Objects that were certainly not deleted can be stored or collected again immediately. An object
 *   whose state is unknown keeps its mark until the mark expires
 */
async function deleteMarked(deps: CollectionDeps, { orphans, announcedAtMs, mark }: Batch): Promise<StoredObject[]> {
  if (mark === undefined) return []
  const untilMs = announcedAtMs + DELETE_WITHIN_MS
  const waiting = [...orphans]
  const deleted: StoredObject[] = []
  const kept: StoredObject[] = []
  const failures: unknown[] = []
  const work = async (): Promise<void> => {
    for (let object = waiting.pop(); object !== undefined; object = waiting.pop()) {
      if (failures.length > 0 || Date.now() > untilMs) {
        kept.push(object)
        continue
      }
      try {
        await deps.store.remove(object.sha256, {
          untilMs,
          isAnnounced: () => isMarked(deps.db, object.sha256, mark),
        })
        deleted.push(object)
      } catch (error) {
        failures.push(error)
        if (!(error instanceof RemovalUncertain)) kept.push(object)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  await forgetDeleted(deps.db, hashesOf(deleted), mark)
  await unmarkDeleting(deps.db, hashesOf(kept), mark)
  if (failures.length > 0) throw failures[0]
  return deleted
}

function hashesOf(objects: readonly StoredObject[]): string[] {
  return objects.map(({ sha256 }) => sha256)
}
