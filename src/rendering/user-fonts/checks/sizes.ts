import { contradiction, readerOf, type TableReader } from '../sfnt/reader.ts'
import type { FontTables, OutlineKind } from '../sfnt/tables.ts'

/** Tables are padded to a multiple of four bytes. Some font tools include the padding in the length of a table. */
const PADDING = 3

/**
 * Checks that the sizes of the tables of a font match its numbers of glyphs and metrics.
 *
 * @throws {Refused} `font_unreadable`
 */
export function checkSizes(tables: FontTables, { numGlyphs, kind }: { numGlyphs: number; kind: OutlineKind }): void {
  requireAtLeast(readerOf(tables, 'maxp'), kind === 'glyf' ? 32 : 6)
  requireAtLeast(readerOf(tables, 'hhea'), 36)
  requireAtLeast(readerOf(tables, 'OS/2'), 78)
  const metrics = readerOf(tables, 'hhea').u16(34)
  if (numGlyphs === 0 || metrics === 0 || metrics > numGlyphs) {
    throw contradiction('hhea', `has ${metrics} widths for ${numGlyphs} glyphs`)
  }
  requireExactly(readerOf(tables, 'hmtx'), metrics * 4 + (numGlyphs - metrics) * 2)
  if (kind === 'glyf') checkLocations(tables, numGlyphs)
  if (tables.has('post')) checkGlyphNames(readerOf(tables, 'post'), numGlyphs)
}

function requireAtLeast(table: TableReader, size: number): void {
  if (table.length < size) throw contradiction(table.tag, 'is truncated')
}

function requireExactly(table: TableReader, size: number): void {
  if (table.length < size || table.length > size + PADDING) {
    throw contradiction(
      table.tag,
      `has ${table.length} bytes, but the numbers of glyphs and metrics of the font require ${size}`,
    )
  }
}

function checkLocations(tables: FontTables, numGlyphs: number): void {
  const format = readerOf(tables, 'head').i16(50)
  if (format !== 0 && format !== 1) throw contradiction('head', 'states an unknown format for the table "loca"')
  const loca = readerOf(tables, 'loca')
  requireExactly(loca, (numGlyphs + 1) * (format === 1 ? 4 : 2))
  const end = format === 1 ? loca.u32(numGlyphs * 4) : loca.u16(numGlyphs * 2) * 2
  // Bytes after the last glyph need no check, because `withoutHints` writes the table without them.
  readerOf(tables, 'glyf').requireRange(0, end)
}

const NAMED_GLYPHS = 0x00020000
const STANDARD_NAMES = 258

function checkGlyphNames(post: TableReader, numGlyphs: number): void {
  requireAtLeast(post, 32)
  if (post.u32(0) !== NAMED_GLYPHS) return
  if (post.u16(32) !== numGlyphs) throw contradiction('post', `names ${post.u16(32)} of ${numGlyphs} glyphs`)
  post.requireRange(34, numGlyphs * 2)
  let names = 0
  for (let at = 34 + numGlyphs * 2; at < post.length; at += 1 + post.u8(at)) names += 1
  for (let glyph = 0; glyph < numGlyphs; glyph++) {
    if (post.u16(34 + glyph * 2) >= STANDARD_NAMES + names)
      throw contradiction('post', 'refers to a glyph name that does not exist')
  }
}
