import { brotliDecompressSync } from 'node:zlib'

/** What a style sheet states about a font file. */
export interface FontTraits {
  /** A number such as `400`, or the range of a variable font such as `100 900`. */
  weight: string
  style: 'normal' | 'italic'
}

const SIGNATURE = 'wOF2'
const HEADER_BYTES = 48
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024

/** Tags by their numbers in a table directory: https://www.w3.org/TR/WOFF2/#table_dir_format */
const KNOWN_TAGS: Readonly<Record<number, string>> = {
  0: 'cmap',
  1: 'head',
  2: 'hhea',
  3: 'hmtx',
  4: 'maxp',
  6: 'OS/2',
  10: 'glyf',
  11: 'loca',
  13: 'CFF ',
  47: 'fvar',
}
const OWN_TAG = 63
const REQUIRED = ['cmap', 'head', 'hhea', 'hmtx', 'maxp', 'OS/2']
const OUTLINES = ['glyf', 'CFF ', 'CFF2']

/**
 * Reads the traits of a font in WOFF 2.0.
 *
 * @throws {Error} whose message says why the file is not such a font
 */
export function readWoff2(file: Buffer): FontTraits {
  if (file.toString('latin1', 0, 4) !== SIGNATURE) throw new Error('is not a WOFF2 file')
  try {
    return traitsOf(unpack(file))
  } catch {
    throw new Error('is a damaged WOFF2 file, or a collection of fonts')
  }
}

/** Returns the tables of the font. Those of outlines have another form than in an OpenType file. */
function unpack(file: Buffer): Map<string, Buffer> {
  const [flavor, length, count] = [file.toString('latin1', 4, 8), file.readUInt32BE(8), file.readUInt16BE(12)]
  if (flavor === 'ttcf' || length !== file.length) throw new RangeError()
  const { entries, end } = readDirectory(file, count)
  const packed = file.subarray(end, end + file.readUInt32BE(20))
  const data = brotliDecompressSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES })
  let at = 0
  const tables = new Map<string, Buffer>()
  for (const { tag, bytes } of entries) {
    tables.set(tag, data.subarray(at, at + bytes))
    at += bytes
  }
  if (at !== data.length) throw new RangeError()
  return tables
}

function readDirectory(file: Buffer, count: number): { entries: { tag: string; bytes: number }[]; end: number } {
  let at = HEADER_BYTES
  const readBase128 = (): number => {
    let value = 0
    for (let digits = 0; digits < 5; digits += 1) {
      const byte = file.readUInt8(at)
      at += 1
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
    throw new RangeError()
  }
  const entries = Array.from({ length: count }, () => {
    const flags = file.readUInt8(at)
    at += 1
    const known = flags & 0x3f
    const tag = known === OWN_TAG ? file.toString('latin1', at, at + 4) : (KNOWN_TAGS[known] ?? `#${known}`)
    if (known === OWN_TAG) at += 4
    const version = flags >> 6
    const bytes = readBase128()
    const isTransformed = tag === 'glyf' || tag === 'loca' ? version !== 3 : version !== 0
    return { tag, bytes: isTransformed ? readBase128() : bytes }
  })
  return { entries, end: at }
}

function traitsOf(tables: ReadonlyMap<string, Buffer>): FontTraits {
  const isComplete = REQUIRED.every((tag) => tables.has(tag)) && OUTLINES.some((tag) => tables.has(tag))
  const os2 = tables.get('OS/2')
  if (!isComplete || os2 === undefined) throw new RangeError()
  const weight = Math.min(1000, Math.max(1, os2.readUInt16BE(4)))
  const isItalic = (os2.readUInt16BE(62) & 1) === 1
  return { weight: weightRange(tables.get('fvar')) ?? String(weight), style: isItalic ? 'italic' : 'normal' }
}

/** Returns the range of the axis `wght` of a variable font. */
function weightRange(fvar: Buffer | undefined): string | undefined {
  if (fvar === undefined) return undefined
  const [offset, count, size] = [fvar.readUInt16BE(4), fvar.readUInt16BE(8), fvar.readUInt16BE(10)]
  for (let at = offset; at < offset + count * size; at += size) {
    if (fvar.toString('latin1', at, at + 4) !== 'wght') continue
    return `${Math.round(fvar.readInt32BE(at + 4) / 65536)} ${Math.round(fvar.readInt32BE(at + 12) / 65536)}`
  }
  return undefined
}
