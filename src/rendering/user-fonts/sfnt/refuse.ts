import { type FontRefusal, Refused } from '../../errors.ts'

export const FONT_LIMITS = {
  /** The maximum size of the uploaded file. */
  bytes: 16 * 1024 * 1024,
  /** The maximum size of the font after unpacking WOFF or WOFF2. The WOFF2 decoder also stops at this size. */
  unpackedBytes: 30 * 1024 * 1024,
  tables: 100,
  /**
   * The maximum number of code points. The largest fonts have 65,535 glyphs, some of which serve several characters.
   */
  codePoints: 120_000,
  /** The most components of one glyph on all levels together. `glyphDepth` is the most levels. */
  glyphParts: 1_000,
  glyphDepth: 16,
  /**
   * The most points of one glyph with its components. A repeated flag lets a few bytes declare 65,536. The installed
   * fonts have at most 974, and FreeType's outlines long held 32,767.
   */
  glyphPoints: 20_000,
  /**
   * Limits for each of GSUB and GPOS. Among 900 fonts of all scripts, including Nastaliq and Tibetan, the largest
   * tables have 1,190 lookups, 4,157 subtables and 6 nested lookups. They need 44,053 comparisons for one glyph, 4,842
   * for a letter on average, and 100,000 steps to read them.
   */
  lookups: 5_000,
  subtables: 20_000,
  lookupDepth: 16,
  comparisonsPerGlyph: 100_000,
  /**
   * The limit for the average over the letters. Most fonts need less than 100, so a font above the limit is most likely
   * made to be slow.
   */
  comparisonsPerLetter: 6_500,
  layoutSteps: 2_000_000,
} as const

export function unreadable(detail: string): Refused<FontRefusal> {
  return new Refused<FontRefusal>('font_unreadable', detail)
}

export function unsupported(detail: string): Refused<FontRefusal> {
  return new Refused<FontRefusal>('font_type_unsupported', detail)
}

export function tooLarge(detail: string): Refused<FontRefusal> {
  return new Refused<FontRefusal>('font_too_large', detail)
}

export function tooComplex(detail: string): Refused<FontRefusal> {
  return new Refused<FontRefusal>('font_too_complex', detail)
}
