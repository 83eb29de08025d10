import type { Readable } from 'node:stream'
import type { Announcement, NewObject, StoredObject } from '../../storage/index.ts'

/**
 * Where backups are read. A place has the objects of all its backups by their hash, so that equal objects are stored
 * once, and one manifest for each backup.
 */
export interface BackupSource {
  /** The folder or the URL, for messages. */
  place: string
  /** Opens an object, whose bytes the caller compares with the hash. */
  open(sha256: string): Promise<{ stream: Readable }>
  /** Lists the ids of the backups, oldest first. */
  listIds(): Promise<string[]>
  /** Returns the bytes of a manifest. Undefined if there is none. */
  readManifest(id: string): Promise<Buffer | undefined>
  close(): Promise<void>
}

/** Where backups are written. */
export interface BackupTarget extends BackupSource {
  /** Lists all objects in batches, in no particular order. */
  list(): AsyncIterable<StoredObject[]>
  /** Stores a file by moving it. When the promise resolves, the bytes survive a power failure. */
  put(object: NewObject): Promise<void>
  createWorkDir(): Promise<string>
  /**
   * Writes a manifest. After a power failure it is there completely, or not at all. Until it is there, the backup does
   * not exist.
   */
  writeManifest(id: string, bytes: Buffer): Promise<void>
  /** Removes a manifest, and with it the backup. When the promise resolves, it is gone also after a power failure. */
  removeManifest(id: string): Promise<void>
  /** Removes an object, as `remove` of a store does. */
  remove(sha256: string, announcement: Announcement): Promise<void>
}
