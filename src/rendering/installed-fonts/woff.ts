import { inflateSync } from 'node:zlib'
import { readWoff, writeSfnt } from '../../drawing/index.ts'

/**
 * Unpacks a WOFF 1.0 file into the TrueType or OpenType file in it.
 * @throws RangeError or TypeError for a file that is not well-formed.
 */
export function woffToSfnt(woff: Uint8Array<ArrayBuffer>): Uint8Array {
  const file = readWoff(woff)
  const unpacked = file.tables.map(({ packed, length }) => (packed.length < length ? inflateSync(packed) : packed))
  return writeSfnt(file, unpacked)
}
