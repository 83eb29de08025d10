import { claimedBytes, type Decoded, turningBytes } from './decoding-memory.ts'
import { openedBytes } from './open-image.ts'

/**
 * Returns the memory for reading the samples of an image with `withColors`: for its decoder, for making it upright, and
 * for the file itself if it must be in memory.
 */
export async function bytesInMemory(path: string, image: Decoded): Promise<number> {
  return claimedBytes(image) + turningBytes(image) + (await openedBytes(path))
}
