import { readWoff, writeSfnt } from '@platen/drawing'

const WOFF_SIGNATURE = 0x774f4646

/** Reads a font file from a response: WOFF 1.0, which is unpacked, or TrueType or OpenType. */
export async function readSfnt(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const isWoff = bytes.length > 4 && new DataView(bytes.buffer).getUint32(0) === WOFF_SIGNATURE
  if (!isWoff) return bytes
  const file = readWoff(bytes)
  const unpacked = file.tables.map(({ packed, length }) => (packed.length < length ? inflate(packed) : packed))
  return writeSfnt(file, await Promise.all(unpacked))
}

async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  // In the names of this API, `deflate` is the format of zlib.
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
