import { inflateSync } from 'node:zlib'
import decompressWoff2 from 'woff2-encoder/decompress'
import { FONT_LIMITS, tooLarge, unreadable, unsupported } from './sfnt/refuse.ts'
import { addTable, checkedCount, type FontTables, readTables, slice, tagAt, viewOf } from './sfnt/tables.ts'

const WOFF_HEADER = 44
const WOFF_ENTRY = 20
const WOFF2_HEADER = 48
/**
 * Numbers in the directory of WOFF2. With `WOFF2_TAG_FOLLOWS`, the directory contains the tag itself. The others are
 * the two tables that have a transform.
 */
const WOFF2_TAG_FOLLOWS = 63
const WOFF2_GLYF = 10
const WOFF2_LOCA = 11
const WOFF2_TAGS: Readonly<Record<string, number>> = { glyf: WOFF2_GLYF, loca: WOFF2_LOCA }

/**
 * Reads the tables of a font file of any supported type, which is detected from the content. The function checks the
 * sizes that a file declares before it unpacks anything, so that a small file cannot take much memory.
 *
 * @throws {Refused} if the file cannot be used
 * @throws RangeError for a truncated file
 */
export async function unpackTables(file: Uint8Array): Promise<FontTables> {
  if (file.length < 12) throw unsupported('The file is not a font.')
  const view = viewOf(file)
  switch (tagAt(view, 0)) {
    case 'OTTO':
    case 'true':
      return readTables(file)
    case 'wOFF':
      refuseWrappedCollection(view)
      return woffTables(file, view)
    case 'wOF2':
      refuseWrappedCollection(view)
      checkWoff2Sizes(view)
      return readTables(await unpackWoff2(file))
    case 'ttcf':
      throw collection()
    default:
      if (view.getUint32(0) === 0x00010000) return readTables(file)
      throw unsupported('The file is not a TrueType, OpenType, WOFF or WOFF2 font.')
  }
}

function refuseWrappedCollection(view: DataView): void {
  if (tagAt(view, 4) === 'ttcf') throw collection()
}

function collection() {
  return unsupported('The file is a collection of fonts. Upload each of its fonts as a file of its own.')
}

/** Reads the tables of a WOFF 1.0 file (W3C), in which each table is deflated separately. */
function woffTables(file: Uint8Array, view: DataView): FontTables {
  const tables = new Map<string, Uint8Array>()
  let unpacked = 0
  for (let i = 0; i < checkedCount(view.getUint16(12)); i++) {
    const entry = WOFF_HEADER + i * WOFF_ENTRY
    const packed = slice(file, view.getUint32(entry + 4), view.getUint32(entry + 8))
    const length = view.getUint32(entry + 12)
    unpacked = addSize(unpacked, length)
    addTable(tables, tagAt(view, entry), packed.length < length ? inflateTo(packed, length) : packed)
  }
  return tables
}

function inflateTo(packed: Uint8Array, length: number): Uint8Array {
  try {
    const bytes = inflateSync(packed, { maxOutputLength: length })
    if (bytes.length === length) return bytes
  } catch {
    // The table is damaged, or longer than declared.
  }
  throw unreadable('The font is damaged: a table cannot be unpacked.')
}

async function unpackWoff2(file: Uint8Array): Promise<Uint8Array> {
  try {
    return await decompressWoff2(file)
  } catch (error) {
    // After a trap, the state of the decoder is undefined, so the process must end. The error is rethrown as it is,
    // because the file need not be damaged.
    if (error instanceof Error && error.name === 'RuntimeError') throw error
    throw unreadable('The WOFF2 file is damaged or truncated.')
  }
}

/**
 * Adds up the sizes that the directory of a WOFF2 file declares (W3C "WOFF File Format 2.0", section 4.1). The decoder
 * allocates these sizes, so the file is rejected if they are too large.
 */
function checkWoff2Sizes(view: DataView): void {
  addSize(0, view.getUint32(16))
  let original = 0
  let transformed = 0
  let at = WOFF2_HEADER
  const readSize = (): number => {
    const { value, next } = base128(view, at)
    at = next
    return value
  }
  for (let i = 0; i < checkedCount(view.getUint16(12)); i++) {
    const flags = view.getUint8(at)
    let table = flags & 0x3f
    at += 1
    if (table === WOFF2_TAG_FOLLOWS) {
      // The decoder uses the tag, not the number. If this function used only the number, it would misread the sizes
      // after the tag.
      table = WOFF2_TAGS[tagAt(view, at)] ?? table
      at += 4
    }
    const length = readSize()
    original = addSize(original, length)
    transformed = addSize(transformed, isTransformed(table, flags >> 6) ? readSize() : length)
  }
}

/**
 * Tells whether a table is transformed. For glyf and loca, version 3 means no transform. For other tables, version 0
 * does.
 */
function isTransformed(table: number, version: number): boolean {
  return table === WOFF2_GLYF || table === WOFF2_LOCA ? version !== 3 : version !== 0
}

/** Reads a number of the format UIntBase128: up to five bytes with seven bits each, most significant first. */
function base128(view: DataView, at: number): { value: number; next: number } {
  let value = 0
  for (let i = 0; i < 5; i++) {
    const byte = view.getUint8(at + i)
    value = value * 128 + (byte & 0x7f)
    if ((byte & 0x80) === 0) return { value, next: at + i + 1 }
  }
  throw unreadable('The WOFF2 file is damaged.')
}

function addSize(sum: number, length: number): number {
  const total = sum + length
  if (total > FONT_LIMITS.unpackedBytes) {
    throw tooLarge(`The font unpacks to more than ${FONT_LIMITS.unpackedBytes / 1024 / 1024} MiB.`)
  }
  return total
}
