import type { Readable } from 'node:stream'

/** A file to store: its current path and its content. */
export interface NewObject {
  path: string
  /** SHA-256 of the bytes in hexadecimal. */
  sha256: string
  bytes: number
}

export interface StoredObject {
  sha256: string
  bytes: number
}

/** Method and response headers of a download that a client makes directly from the store. */
export interface SignedUrlOptions {
  /** The method of the request. A signature is valid for only one method. */
  method: 'GET' | 'HEAD'
  mediaType: string
  /** The value of the `Content-Disposition` header. */
  disposition: string
  /** The longest time for which the URL may be valid. */
  lifeSeconds?: number
}

/**
 * Stores bytes by their hash. The bytes of a hash never change. The functions throw errors of the file system or of S3,
 * which `createStorage` turns into `storage_unavailable`.
 */
export interface ObjectStore {
  /** Stores a file and removes it from its path. When the promise resolves, the bytes survive a power failure. */
  put(object: NewObject): Promise<void>
  /** Returns a path from which the bytes can be read for the next half hour. */
  localPath(sha256: string): Promise<string>
  open(sha256: string): Promise<{ stream: Readable; bytes: number }>
  /**
   * Returns a URL from which everyone can download the bytes for a few minutes. Undefined if the store cannot be
   * reached by URL.
   */
  signedUrl(sha256: string, options: SignedUrlOptions): Promise<string | undefined>
  /** Lists all stored objects in batches, in no particular order. */
  list(): AsyncIterable<StoredObject[]>
  /**
   * Removes bytes. Missing bytes are not an error.
   *
   * A process may be suspended at any point for any time. In that time, other processes may assume that the deletion
   * was abandoned and store the same bytes again. Those bytes must not be lost.
   *
   * @throws {RemovalUncertain} if the result is unknown; after any other error, the bytes are unchanged
   */
  remove(sha256: string, announcement: Announcement): Promise<void>
  /**
   * Removes incomplete files that processes left a day ago or earlier, and undoes their incomplete removals. Returns
   * how many files were removed.
   */
  removeLeftovers(): Promise<number>
  /**
   * Removes all incomplete files. Call this function only if no other process is running. Returns the number of files.
   */
  clearWorkDirs(): Promise<number>
  /** Rejects if bytes cannot be stored or read now. */
  check(): Promise<void>
  createWorkDir(): Promise<string>
  close(): Promise<void>
}

/** The announcement of a removal, which prevents others from storing the same bytes. */
export interface Announcement {
  /**
   * No request is sent to another computer after this time, in milliseconds since 1970 on the clock of this computer.
   */
  untilMs: number
  /**
   * Tells whether the announcement is still valid. It is not if another process has assumed that the removal was
   * abandoned.
   */
  isAnnounced(): Promise<boolean>
}

/** The response to a removal was lost: the removal may have happened, may still happen, or may never happen. */
export class RemovalUncertain extends Error {
  override readonly name = 'RemovalUncertain'
}

/**
 * Returns the hash unchanged.
 *
 * @throws if it is not a SHA-256 hash, because it becomes part of a path or URL
 */
export function requireSha256(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('the name is not a SHA-256 hash in hexadecimal')
  return sha256
}
