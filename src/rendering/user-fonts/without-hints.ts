import { readParts } from './composite.ts'
import { contradiction } from './sfnt/reader.ts'
import { type FontTables, tableView, viewOf } from './sfnt/tables.ts'

const HAS_INSTRUCTIONS = 0x0100
const GLYPH_HEADER = 10

/**
 * Removes the programs of TrueType glyphs, which adapt outlines to the pixels of a screen (OpenType, "glyf" and
 * "maxp"). Drawing never runs them. The programs call functions in `fpgm`, which is also removed. If only the functions
 * were removed, a viewer of the print file would distort the letters.
 *
 * @param tables with a "loca" and "glyf" that `checkTables` accepts. Fonts without "glyf" are returned unchanged
 */
export function withoutHints(tables: FontTables): FontTables {
  const glyf = tables.get('glyf')
  if (glyf === undefined) return tables
  const numGlyphs = tableView(tables, 'maxp').getUint16(4)
  const isLong = tableView(tables, 'head').getInt16(50) !== 0
  const offsetOf = locations(tables, isLong)
  const glyphs = Array.from({ length: numGlyphs }, (_, glyph) => glyf.subarray(offsetOf(glyph), offsetOf(glyph + 1)))
  return new Map([...tables, ...joinGlyphs(glyphs.map(withoutProgram), isLong), ['maxp', withoutProgramLimits(tables)]])
}

function locations(tables: FontTables, isLong: boolean): (glyph: number) => number {
  const loca = tableView(tables, 'loca')
  return (glyph) => (isLong ? loca.getUint32(glyph * 4) : loca.getUint16(glyph * 2) * 2)
}

function withoutProgram(glyph: Uint8Array): Uint8Array {
  if (glyph.length < GLYPH_HEADER) return glyph
  const contours = viewOf(glyph).getInt16(0)
  if (contours < 0) return withoutCompositeProgram(glyph)
  if (contours === 0) return withoutContent(glyph)
  const at = GLYPH_HEADER + contours * 2
  // A glyph without contours may end here, without a length of its program.
  if (at + 2 > glyph.length) return glyph
  const length = viewOf(glyph).getUint16(at)
  if (length === 0) return glyph
  if (at + 2 + length > glyph.length) throw contradiction('glyf', 'has a truncated glyph')
  const bare = new Uint8Array(glyph.length - length)
  bare.set(glyph.subarray(0, at))
  bare.set(glyph.subarray(at + 2 + length), at + 2)
  return bare
}

/** A glyph without contours draws nothing, but its bytes would be part of each print file. */
function withoutContent(glyph: Uint8Array): Uint8Array {
  const bare = new Uint8Array(Math.min(glyph.length, GLYPH_HEADER + 2))
  bare.set(glyph.subarray(0, GLYPH_HEADER))
  return bare
}

function withoutCompositeProgram(glyph: Uint8Array): Uint8Array {
  const { parts, end } = readParts(viewOf(glyph), 0, glyph.length)
  const bare = glyph.slice(0, end)
  const view = viewOf(bare)
  for (const { at, flags } of parts) view.setUint16(at, flags & ~HAS_INSTRUCTIONS)
  return bare
}

/**
 * Writes the tables "glyf" and "loca" for the given glyphs. No glyph is longer than in the original, so short offsets
 * still suffice.
 */
function joinGlyphs(glyphs: readonly Uint8Array[], isLong: boolean): [string, Uint8Array][] {
  const padded = (length: number) => length + (length % 2)
  const glyf = new Uint8Array(glyphs.reduce((sum, { length }) => sum + padded(length), 0))
  const loca = new Uint8Array((glyphs.length + 1) * (isLong ? 4 : 2))
  const view = viewOf(loca)
  let offset = 0
  for (const [glyph, bytes] of glyphs.entries()) {
    glyf.set(bytes, offset)
    offset += padded(bytes.length)
    if (isLong) view.setUint32((glyph + 1) * 4, offset)
    else view.setUint16((glyph + 1) * 2, offset / 2)
  }
  return [
    ['glyf', glyf],
    ['loca', loca],
  ]
}

const MAX_ZONES_AT = 14
const MAX_SIZE_OF_INSTRUCTIONS_AT = 26

function withoutProgramLimits(tables: FontTables): Uint8Array {
  const maxp = Uint8Array.from(tables.get('maxp') ?? [])
  const view = viewOf(maxp)
  for (let at = MAX_ZONES_AT; at <= MAX_SIZE_OF_INSTRUCTIONS_AT; at += 2) view.setUint16(at, 0)
  // In a font without programs, "maxp" declares one zone.
  view.setUint16(MAX_ZONES_AT, 1)
  return maxp
}
