import { contradiction, type TableReader } from '../sfnt/reader.ts'

/**
 * A range of glyphs, from `first` to `last`. In a coverage table, `value` is the index of the first glyph. In a class
 * table, `value` is the class of all glyphs.
 */
export interface GlyphRange {
  first: number
  last: number
  value: number
}

/**
 * Adds steps to the count of a check. The count is limited, because a table can refer to the same part a thousand
 * times, which would occupy the check for long.
 */
export type CountSteps = (steps: number) => void

/**
 * Reads a coverage table (OpenType, "Common table formats"), which lists the glyphs of a subtable, each with an index.
 */
export function readCoverage(table: TableReader, at: number, count: CountSteps): GlyphRange[] {
  const format = table.u16(at)
  const size = table.u16(at + 2)
  count(size + 1)
  if (format === 1) {
    return Array.from({ length: size }, (_, i) => {
      const glyph = table.u16(at + 4 + i * 2)
      return { first: glyph, last: glyph, value: i }
    })
  }
  if (format !== 2) throw contradiction(table.tag, 'has a coverage table of an unknown format')
  return readRanges(table, at + 4, size)
}

/** Reads a class definition table. Glyphs outside all ranges have class 0. */
export function readClasses(table: TableReader, at: number, count: CountSteps): GlyphRange[] {
  const format = table.u16(at)
  if (format === 1) {
    const start = table.u16(at + 2)
    const size = table.u16(at + 4)
    count(size + 1)
    return Array.from({ length: size }, (_, i) => {
      return { first: start + i, last: start + i, value: table.u16(at + 6 + i * 2) }
    })
  }
  if (format !== 2) throw contradiction(table.tag, 'has a class definition of an unknown format')
  const size = table.u16(at + 2)
  count(size + 1)
  return readRanges(table, at + 4, size)
}

function readRanges(table: TableReader, at: number, size: number): GlyphRange[] {
  table.requireRange(at, size * 6)
  return Array.from({ length: size }, (_, i) => {
    const entry = at + i * 6
    return { first: table.u16(entry), last: table.u16(entry + 2), value: table.u16(entry + 4) }
  })
}
