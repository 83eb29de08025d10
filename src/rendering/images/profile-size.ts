import { open } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import { MAX_PROFILE_BYTES } from '../color/read-profile.ts'
import { findPngChunk } from './png-color.ts'

/**
 * Tells whether a PNG has a colour profile of more than `MAX_PROFILE_BYTES`, without inflating more. A file of 76 KB can
 * contain a profile of 47 MiB, from which decoders make tables of several times its size. False for other files.
 */
export async function hasHugePngProfile(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const data = await findPngChunk(file, 'iCCP', MAX_PROFILE_BYTES + 1)
    if (data === undefined) return false
    return data.length > MAX_PROFILE_BYTES || inflatesBeyondLimit(data.subarray(data.indexOf(0) + 2))
  } finally {
    await file.close()
  }
}

function inflatesBeyondLimit(deflated: Buffer): boolean {
  try {
    inflateSync(deflated, { maxOutputLength: MAX_PROFILE_BYTES })
    return false
  } catch (error) {
    return error instanceof RangeError
  }
}
