import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

/** Whatever opens objects by their hash. */
export interface ObjectSource {
  open(sha256: string): Promise<{ stream: Readable }>
}

const MISSING = ['ENOENT', 'NoSuchKey', 'NotFound']

/** Opens an object. Returns undefined if it does not exist. */
export async function openIfThere(source: ObjectSource, sha256: string): Promise<Readable | undefined> {
  try {
    return (await source.open(sha256)).stream
  } catch (error) {
    if (MISSING.includes(String((error as { code?: unknown }).code))) return undefined
    throw error
  }
}

/** Reads an object completely and compares it with its hash. */
export async function inspectObject(source: ObjectSource, sha256: string): Promise<'intact' | 'missing' | 'damaged'> {
  const stream = await openIfThere(source, sha256)
  if (stream === undefined) return 'missing'
  const hash = createHash('sha256')
  try {
    for await (const chunk of stream) hash.update(chunk)
  } catch (error) {
    // The disk cannot read a sector of the file.
    if ((error as { code?: unknown }).code === 'EIO') return 'damaged'
    throw error
  }
  return hash.digest('hex') === sha256 ? 'intact' : 'damaged'
}
