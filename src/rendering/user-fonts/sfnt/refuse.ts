import { type FontRefusal, Refused } from '../../errors.ts'

export const FONT_LIMITS = {
  /** Of the file as it is uploaded. */
  bytes: 16 * 1024 * 1024,
  /** Of the font that a WOFF or WOFF2 file unpacks to. The WOFF2 decoder ends there, too. */
  unpackedBytes: 30 * 1024 * 1024,
  tables: 100,
  /** The largest fonts have 65,535 glyphs, a few of which stand for several characters. */
  codePoints: 120_000,
  /** Glyphs that one glyph is put together from, all levels together, and how deep these go. */
  glyphParts: 1_000,
  glyphDepth: 16,
  /**
   * Of GSUB and GPOS each. Among 900 fonts of all scripts, Nastaliq and Tibetan included, the most are 1,190 lookups,
   * 4,157 subtables, 6 lookups that call one another, 44,053 comparisons for one glyph and 4,842 for a letter on average,
   * and 100,000 steps to read them.
   */
  lookups: 5_000,
  subtables: 20_000,
  lookupDepth: 16,
  comparisonsPerGlyph: 100_000,
  /** On average. Most fonts make less than 100; what makes much of every letter is made to be slow. */
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
