import { contradiction, readerOf, type TableReader } from '../sfnt/reader.ts'
import type { FontTables } from '../sfnt/tables.ts'

const TAG = 'cmap'
const LAST_CODE_POINT = 0x10ffff

/**
 * Checks that each subtable of "cmap" lies within the table and is long enough for its number of groups. In the formats
 * 12 and 13, the groups must also be in order, must not overlap, and must refer to existing glyphs.
 *
 * @throws {Refused} `font_unreadable`
 */
export function checkCmap(tables: FontTables, numGlyphs: number): void {
  const table = readerOf(tables, TAG)
  const subtables = table.u16(2)
  // Several encodings may share a subtable, which is then checked once.
  const offsets = new Set(Array.from({ length: subtables }, (_, i) => table.u32(8 + i * 8)))
  for (const at of offsets) {
    const check = FORMATS[table.u16(at)]
    // Drawing code ignores subtables of other formats, so they are not checked.
    if (check !== undefined) check(table, at, numGlyphs)
  }
}

type CheckFormat = (table: TableReader, at: number, numGlyphs: number) => void

const FORMATS: Readonly<Record<number, CheckFormat>> = {
  0: (table, at) => table.requireRange(at, 6 + 256),
  4: checkSegments,
  6: (table, at) => requireRoom(table, at, { length: table.u16(at + 2), needed: 10 + table.u16(at + 8) * 2 }),
  10: (table, at) => requireRoom(table, at, { length: table.u32(at + 4), needed: 20 + table.u32(at + 16) * 2 }),
  12: (table, at, numGlyphs) => checkGroups(table, at, numGlyphs, (first, last) => last - first),
  13: (table, at, numGlyphs) => checkGroups(table, at, numGlyphs, () => 0),
  14: checkVariations,
}

function requireRoom(table: TableReader, at: number, { length, needed }: { length: number; needed: number }): void {
  if (needed > length) throw contradiction(TAG, 'has a subtable that is too short for its number of entries')
  table.requireRange(at, needed)
}

/** Checks a subtable of format 4, which supports code points up to 0xffff. */
function checkSegments(table: TableReader, at: number): void {
  const segments = table.u16(at + 6) >> 1
  // The length field has 16 bits, which is too short for the subtables of large fonts, so the check uses the length of
  // the table.
  table.requireRange(at, 16 + segments * 8)
  let last = -1
  for (let i = 0; i < segments; i++) {
    const end = table.u16(at + 14 + i * 2)
    const start = table.u16(at + 16 + segments * 2 + i * 2)
    // Some fonts end with two segments for 0xffff.
    if (start > end || (start <= last && start !== 0xffff)) throw contradiction(TAG, 'has segments that overlap')
    last = end
  }
}

/**
 * Checks a subtable of format 12 or 13, which support all code points.
 *
 * @param glyphsBeyond returns how many glyphs a group uses after the first glyph, which the group states
 */
function checkGroups(
  table: TableReader,
  at: number,
  numGlyphs: number,
  glyphsBeyond: (first: number, last: number) => number,
): void {
  const groups = table.u32(at + 12)
  requireRoom(table, at, { length: table.u32(at + 4), needed: 16 + groups * 12 })
  let last = -1
  for (let i = 0; i < groups; i++) {
    const entry = at + 16 + i * 12
    const [start, end] = [table.u32(entry), table.u32(entry + 4)]
    if (start > end || start <= last || end > LAST_CODE_POINT) throw contradiction(TAG, 'has groups that overlap')
    if (table.u32(entry + 8) + glyphsBeyond(start, end) >= numGlyphs)
      throw contradiction(TAG, 'refers to glyphs that do not exist')
    last = end
  }
}

/** Checks a subtable of format 14, which contains variation sequences. */
function checkVariations(table: TableReader, at: number): void {
  const selectors = table.u32(at + 6)
  requireRoom(table, at, { length: table.u32(at + 2), needed: 10 + selectors * 11 })
  for (let i = 0; i < selectors; i++) {
    const entry = at + 10 + i * 11
    const [defaults, others] = [table.u32(entry + 3), table.u32(entry + 7)]
    if (defaults !== 0) table.requireRange(at + defaults, 4 + table.u32(at + defaults) * 4)
    if (others !== 0) table.requireRange(at + others, 4 + table.u32(at + others) * 5)
  }
}
