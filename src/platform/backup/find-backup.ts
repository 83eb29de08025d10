import { BackupError } from './format/backup-error.ts'
import { decodeManifest, type Manifest } from './format/manifest.ts'
import type { BackupSource } from './format/places.ts'

export interface BackupChoice {
  /** The backup with this id. */
  id?: string | undefined
  /** The newest backup that was taken at this time or earlier. */
  at?: Date | undefined
}

/**
 * Reads the manifest of a backup, by default of the newest one.
 *
 * @throws {BackupError} if there is none, or if it is damaged
 */
export async function findBackup(source: BackupSource, { id, at }: BackupChoice): Promise<Manifest> {
  const ids = await source.listIds()
  if (id !== undefined) {
    if (ids.includes(id)) return readManifest(source, id)
    throw new BackupError(`${source.place} contains no complete backup ${id}. "platen backup list" lists the backups.`)
  }
  for (const one of ids.toReversed()) {
    const manifest = await readManifest(source, one)
    if (at === undefined || new Date(manifest.takenAt) <= at) return manifest
  }
  const wanted = at === undefined ? '' : ` of ${at.toISOString()} or earlier`
  throw new BackupError(`${source.place} contains no complete backup${wanted}.`)
}

export interface ListedBackup {
  id: string
  /** Undefined if the manifest cannot be read. */
  manifest: Manifest | undefined
}

/** Lists all backups, oldest first. */
export async function listBackups(source: BackupSource): Promise<ListedBackup[]> {
  const listed: ListedBackup[] = []
  for (const id of await source.listIds()) {
    const manifest = await readManifest(source, id).catch((error: unknown) => {
      if (error instanceof BackupError) return undefined
      throw error
    })
    listed.push({ id, manifest })
  }
  return listed
}

async function readManifest(source: BackupSource, id: string): Promise<Manifest> {
  const bytes = await source.readManifest(id)
  if (bytes === undefined) throw new BackupError(`${source.place} contains no complete backup ${id}.`)
  return decodeManifest(bytes, id)
}
