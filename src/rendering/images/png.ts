import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflate, inflateSync } from 'node:zlib'
import { MAX_PROFILE_BYTES } from '../color/read-profile.ts'

/** The compressed rows of an image in the form that a PDF contains, with 8 bits per sample. */
export type Rows = {
  /** A zlib stream of filtered rows. */
  bytes: Buffer
  widthPx: number
  heightPx: number
  components: 1 | 3
}

/** A PNG file whose compressed rows a PDF can contain unchanged. */
export type PngStream = Rows & {
  /** The ICC profile in the file; undefined if there is none. */
  icc: Buffer | undefined
}

const SIGNATURE_BYTES = 8
/** Data is inflated and counted in pieces of this size. */
const PIECE_BYTES = 1024 * 1024

/**
 * Reads the structure of a PNG file (W3C PNG, third edition) without decoding the image. FlateDecode with a PNG
 * predictor (ISO 32000-1, section 7.4.4.4) supports the rows if the file is complete, 8-bit grey or RGB, not
 * interlaced, and opaque. For other files, the function resolves to undefined, also for files with chunks in an order
 * or number that decoders treat differently.
 *
 * PDF readers inflate the rows completely. To verify that the size of the rows matches the header, this function also
 * inflates them once.
 */
export async function readPngStream(file: Buffer): Promise<PngStream | undefined> {
  const rows: Buffer[] = []
  let header: Buffer | undefined
  let icc: Buffer | undefined
  let isWhole = false
  let previous = ''

  for (const { type, data, whole } of chunks(file)) {
    if (!isInPlace(type, previous, rows.length > 0)) return undefined
    if (READ_CHUNKS.has(type) && !hasValidChecksum(whole)) return undefined
    if (type === 'IHDR') header = data
    else if (type === 'IDAT') rows.push(data)
    else if (type === 'iCCP') {
      icc = icc === undefined ? inflateProfile(data) : undefined
      if (icc === undefined) return undefined
    } else if (type === 'IEND') {
      isWhole = true
      break
    }
    previous = type
  }
  if (header === undefined || header.length !== 13 || rows.length === 0 || !isWhole) return undefined
  const [depth, colorType, , , interlace] = header.subarray(8)
  if (depth !== 8 || (colorType !== 0 && colorType !== 2) || interlace !== 0) return undefined
  const [widthPx, heightPx] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const components = colorType === 0 ? 1 : 3
  if (!(await inflatesTo(rows, heightPx * (1 + widthPx * components)))) return undefined
  return { bytes: Buffer.concat(rows), widthPx, heightPx, components, icc }
}

const READ_CHUNKS = new Set(['IHDR', 'iCCP', 'IDAT', 'IEND'])

/**
 * Tells whether all decoders read a chunk at this place (W3C PNG, third edition, section 5.6). A file could otherwise
 * show one image in previews and another in print: with a second header, or a profile behind the pixels.
 */
function isInPlace(type: string, previous: string, hasPixels: boolean): boolean {
  if ((type === 'IHDR') !== (previous === '')) return false
  if (type === 'IDAT') return !hasPixels || previous === 'IDAT'
  // `tRNS` states transparency without an alpha channel.
  if (type === 'tRNS' || type === 'PLTE') return false
  return type !== 'iCCP' || !hasPixels
}

function hasValidChecksum(whole: Buffer): boolean {
  return crc32(whole.subarray(4, -4)) === whole.readUInt32BE(whole.length - 4)
}

/**
 * Tells whether a zlib stream inflates to exactly the given number of bytes. The data is inflated in pieces, to save
 * memory.
 */
async function inflatesTo(parts: readonly Buffer[], bytes: number): Promise<boolean> {
  let found = 0
  const count = async (inflated: AsyncIterable<Buffer>) => {
    for await (const piece of inflated) {
      found += piece.length
      if (found > bytes) throw new RangeError('The image has more rows than its header states')
    }
  }
  try {
    await pipeline(Readable.from(parts), createInflate({ chunkSize: PIECE_BYTES }), count)
  } catch {
    return false
  }
  return found === bytes
}

/**
 * Yields the chunks of a PNG file, each with its data and its complete bytes. Ends early if a length points outside the
 * file.
 */
export function* chunks(file: Buffer): Generator<{ type: string; data: Buffer; whole: Buffer }> {
  let at = SIGNATURE_BYTES
  if (file.toString('latin1', 1, 4) !== 'PNG') return
  while (at + 12 <= file.length) {
    const end = at + 8 + file.readUInt32BE(at)
    if (end + 4 > file.length) return
    const type = file.toString('latin1', at + 4, at + 8)
    yield { type, data: file.subarray(at + 8, end), whole: file.subarray(at, end + 4) }
    at = end + 4
  }
}

/** Writes a PNG chunk: length, type, data, checksum. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

function inflateProfile(data: Buffer): Buffer | undefined {
  try {
    return inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE_BYTES })
  } catch {
    return undefined
  }
}
