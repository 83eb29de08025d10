import type { Readable } from 'node:stream'

/** A file that is to be stored: where it lies now, and what it holds. */
export interface NewObject {
  path: string
  /** SHA-256 of the bytes, in hexadecimal. */
  sha256: string
  bytes: number
}

export interface StoredObject {
  sha256: string
  bytes: number
}

/** What a browser is told about bytes that it fetches from the store itself. */
export interface SignedAddressOptions {
  /** A signature is good for one of them. */
  method: 'GET' | 'HEAD'
  mediaType: string
  /** Value of the `Content-Disposition` header. */
  disposition: string
}

/**
 * A place for bytes, by their hash. What is kept under a hash never changes. Errors are those of the system or of the
 * service behind it; callers see them as `storage_unavailable`.
 */
export interface ObjectStore {
  /** Keeps a file, and takes it away from where it lies. When the promise resolves, the bytes survive a power cut. */
  put(object: NewObject): Promise<void>
  /** A path at which the bytes can be read for the next half hour. */
  localPath(sha256: string): Promise<string>
  open(sha256: string): Promise<{ stream: Readable; bytes: number }>
  /** An address at which anybody can fetch the bytes for a few minutes; undefined when there is none. */
  signedAddress(sha256: string, options: SignedAddressOptions): Promise<string | undefined>
  /** All that is kept, some at a time, in no particular order. */
  list(): AsyncIterable<StoredObject[]>
  /**
   * Forgets bytes; those that are not there are forgotten already.
   *
   * A process may stand still at any point in it, for any time, while others take the deletion for abandoned and store
   * the same bytes anew: those must not be lost.
   *
   * @throws {RemovalUncertain} when nobody knows; after any other error the bytes are there as before
   */
  remove(sha256: string, announcement: Announcement): Promise<void>
  /**
   * Removes what processes that were killed left half-written a day ago or more, and undoes what they left half-removed.
   * Returns how much was removed.
   */
  removeLeftovers(): Promise<number>
  /** Removes all that was left half-written. For who knows that no other process is at work. Returns how much there was. */
  clearWorkDirs(): Promise<number>
  /** Rejects when bytes could not be kept or read at the moment. */
  check(): Promise<void>
  createWorkDir(): Promise<string>
  close(): Promise<void>
}

/** What was said before bytes are removed, and keeps others from storing the same meanwhile. */
export interface Announcement {
  /** Nothing is sent to another machine after this, in milliseconds since 1970 by this machine's clock. */
  untilMs: number
  /** Whether it still holds, as everybody sees it. */
  isAnnounced(): Promise<boolean>
}

/** A removal whose answer was lost: it may have happened, may still happen, or never. */
export class RemovalUncertain extends Error {
  override readonly name = 'RemovalUncertain'
}

/** @throws when a name is not the hash that it should be: it must not become part of a path or an address */
export function requireSha256(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('not a SHA-256 in hexadecimal')
  return sha256
}
