import { contradiction, readerOf, type TableReader } from '../sfnt/reader.ts'
import type { FontTables } from '../sfnt/tables.ts'

const TAG = 'CFF '

/**
 * Operators of dictionaries (Adobe Technical Note 5176, "CFF", tables 9, 10 and 23). Operators from 0x0c00 on have two
 * bytes.
 */
const CHARSET = 15
const CHAR_STRINGS = 17
const PRIVATE = 18
const SUBRS = 19
const FD_ARRAY = 0x0c24
const FD_SELECT = 0x0c25
const REAL_NUMBER = 30

/**
 * Checks that a font with PostScript outlines has as many outlines as `maxp` states. Also checks that each part of the
 * table "CFF " that drawing reads lies within the table.
 *
 * @throws {Refused} `font_unreadable`
 */
export function checkCff(tables: FontTables, numGlyphs: number): void {
  const table = readerOf(tables, TAG)
  const names = readIndex(table, table.u8(2))
  const fonts = readIndex(table, names.end)
  if (table.u8(0) !== 1 || fonts.count !== 1) throw contradiction(TAG, 'does not contain exactly one font')
  const strings = readIndex(table, fonts.end)
  readIndex(table, strings.end)
  const top = readDict(table, fonts.start(0), fonts.start(1))
  const [charStringsAt = 0] = top.get(CHAR_STRINGS) ?? []
  const { count } = readIndex(table, charStringsAt)
  if (count !== numGlyphs) throw contradiction(TAG, `has ${count} outlines for ${numGlyphs} glyphs`)
  checkCharset(table, top.get(CHARSET)?.[0] ?? 0, numGlyphs)
  checkPrivate(table, top)
  checkFontDicts(table, top, numGlyphs)
}

interface Index {
  count: number
  /**
   * Returns the position at which an object begins. For `count`, returns the position at which the last object ends.
   */
  start(object: number): number
  end: number
}

function readIndex(table: TableReader, at: number): Index {
  const count = table.u16(at)
  if (count === 0) return { count, start: () => at + 2, end: at + 2 }
  const size = table.u8(at + 2)
  if (size < 1 || size > 4) throw contradiction(TAG, 'has an index of an unknown format')
  const offsetsAt = at + 3
  const dataAt = offsetsAt + (count + 1) * size - 1
  table.requireRange(offsetsAt, (count + 1) * size)
  const offset = (object: number) => readOffset(table, offsetsAt + object * size, size)
  let last = offset(0)
  if (last !== 1) throw contradiction(TAG, 'has an index that does not begin at its start')
  for (let object = 1; object <= count; object++) {
    const next = offset(object)
    if (next < last) throw contradiction(TAG, 'has an index whose objects overlap')
    last = next
  }
  table.requireRange(dataAt, last)
  return { count, start: (object) => dataAt + offset(object), end: dataAt + last }
}

function readOffset(table: TableReader, at: number, size: number): number {
  let value = 0
  for (let i = 0; i < size; i++) value = value * 256 + table.u8(at + i)
  return value
}

type Dict = ReadonlyMap<number, readonly number[]>

/**
 * Reads a dictionary as a map from each operator to its operands. Real numbers become NaN, because offsets are never
 * real numbers.
 */
function readDict(table: TableReader, start: number, end: number): Dict {
  const dict = new Map<number, readonly number[]>()
  let operands: number[] = []
  let at = start
  while (at < end) {
    const byte = table.u8(at)
    if (byte < 22) {
      const isLong = byte === 12
      dict.set(isLong ? 0x0c00 + table.u8(at + 1) : byte, operands)
      operands = []
      at += isLong ? 2 : 1
    } else if (byte === REAL_NUMBER) {
      at = realNumberEnd(table, at + 1, end)
      operands.push(Number.NaN)
    } else {
      const { value, size } = readInteger(table, at, byte)
      operands.push(value)
      at += size
    }
  }
  return dict
}

function realNumberEnd(table: TableReader, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const byte = table.u8(at)
    if (byte >> 4 === 0xf || (byte & 0xf) === 0xf) return at + 1
  }
  return end
}

function readInteger(table: TableReader, at: number, byte: number): { value: number; size: number } {
  if (byte === 28) return { value: table.i16(at + 1), size: 3 }
  if (byte === 29) return { value: table.u32(at + 1) | 0, size: 5 }
  if (byte <= 246) return { value: byte - 139, size: 1 }
  if (byte <= 250) return { value: (byte - 247) * 256 + table.u8(at + 1) + 108, size: 2 }
  return { value: -(byte - 251) * 256 - table.u8(at + 1) - 108, size: 2 }
}

/** Checks that the character set lies within the table. The predefined sets have the numbers 0 to 2 and no data. */
function checkCharset(table: TableReader, at: number, numGlyphs: number): void {
  if (at <= 2) return
  const format = table.u8(at)
  if (format === 0) {
    table.requireRange(at + 1, (numGlyphs - 1) * 2)
    return
  }
  if (format > 2) throw contradiction(TAG, 'has a character set of an unknown format')
  const entry = format === 1 ? 3 : 4
  let range = at + 1
  for (let glyphs = 1; glyphs < numGlyphs; range += entry) {
    glyphs += 1 + (format === 1 ? table.u8(range + 2) : table.u16(range + 2))
  }
}

function checkPrivate(table: TableReader, dict: Dict): void {
  const [size = 0, at = 0] = dict.get(PRIVATE) ?? []
  if (size === 0) return
  table.requireRange(at, size)
  const [subrs] = readDict(table, at, at + size).get(SUBRS) ?? []
  if (subrs !== undefined) readIndex(table, at + subrs)
}

/**
 * Checks the private data of a CID-keyed font. Such a font may have several sets of private data, and a table that
 * assigns a set to each glyph.
 */
function checkFontDicts(table: TableReader, top: Dict, numGlyphs: number): void {
  const [arrayAt] = top.get(FD_ARRAY) ?? []
  const [selectAt] = top.get(FD_SELECT) ?? []
  if (arrayAt === undefined) return
  const fonts = readIndex(table, arrayAt)
  for (let font = 0; font < fonts.count; font++)
    checkPrivate(table, readDict(table, fonts.start(font), fonts.start(font + 1)))
  if (selectAt !== undefined) checkFontSelection(table, selectAt, numGlyphs, fonts.count)
}

function checkFontSelection(table: TableReader, at: number, numGlyphs: number, fonts: number): void {
  const requireFont = (font: number) => {
    if (font >= fonts) throw contradiction(TAG, 'refers to private data that does not exist')
  }
  const format = table.u8(at)
  if (format === 0) {
    for (let glyph = 0; glyph < numGlyphs; glyph++) requireFont(table.u8(at + 1 + glyph))
    return
  }
  if (format !== 3) throw contradiction(TAG, 'assigns private data to glyphs in an unknown format')
  const ranges = table.u16(at + 1)
  let last = -1
  for (let range = 0; range < ranges; range++) {
    const first = table.u16(at + 3 + range * 3)
    if (first <= last) throw contradiction(TAG, 'assigns private data to overlapping ranges of glyphs')
    last = first
    requireFont(table.u8(at + 5 + range * 3))
  }
  if (table.u16(at + 3 + ranges * 3) !== numGlyphs)
    throw contradiction(TAG, 'assigns private data to a wrong number of glyphs')
}
