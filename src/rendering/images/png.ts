import { inflateSync } from 'node:zlib'

/** What matters of a PNG file whose compressed rows a PDF can hold as they are. */
export type PngStream = {
  /** Zlib stream of filtered rows. */
  bytes: Buffer
  widthPx: number
  heightPx: number
  components: 1 | 3
  icc: Buffer | undefined
}

const SIGNATURE_BYTES = 8
const MAX_ICC_BYTES = 1024 * 1024
// Transparency without an alpha channel, and colour signalled as video does: these need decoding.
const NEEDS_DECODING = new Set(['tRNS', 'cICP'])

/**
 * Reads the structure of a PNG file (W3C PNG, third edition) without decoding it.
 *
 * Returns undefined unless it is 8-bit grey or RGB, not interlaced, without transparency: the rows of those are what
 * FlateDecode with a PNG predictor takes (ISO 32000-1, 7.4.4.4). Gamma and chromaticities are ignored, as in decoding.
 */
export function readPngStream(file: Buffer): PngStream | undefined {
  const rows: Buffer[] = []
  let header: Buffer | undefined
  let icc: Buffer | undefined

  for (const { type, data } of chunks(file)) {
    if (NEEDS_DECODING.has(type)) return undefined
    if (type === 'IHDR') header = data
    else if (type === 'IDAT') rows.push(data)
    else if (type === 'iCCP') icc = inflateProfile(data)
  }
  if (header === undefined || header.length !== 13 || rows.length === 0) return undefined
  const [depth, colorType, , , interlace] = header.subarray(8)
  if (depth !== 8 || (colorType !== 0 && colorType !== 2) || interlace !== 0) return undefined
  return {
    bytes: Buffer.concat(rows),
    widthPx: header.readUInt32BE(0),
    heightPx: header.readUInt32BE(4),
    components: colorType === 0 ? 1 : 3,
    icc,
  }
}

function* chunks(file: Buffer): Generator<{ type: string; data: Buffer }> {
  let at = SIGNATURE_BYTES
  while (at + 12 <= file.length) {
    const end = at + 8 + file.readUInt32BE(at)
    if (end + 4 > file.length) return
    yield { type: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, end) }
    at = end + 4
  }
}

function inflateProfile(data: Buffer): Buffer | undefined {
  try {
    return inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: MAX_ICC_BYTES })
  } catch {
    return undefined
  }
}
