/**
 * Number of parts that a body can have regardless of their size. A peer that writes a short body piece by piece produces
 * fewer, and so many take less time than the request itself.
 */
const FREE_PARTS = 128
const LEAST_MEAN_BYTES = 64

/** Returns whether a body comes in too many short parts: each part takes time of the event loop, however short it is. */
export function hasTooManyParts(parts: number, bytes: number): boolean {
  return parts > FREE_PARTS + bytes / LEAST_MEAN_BYTES
}
